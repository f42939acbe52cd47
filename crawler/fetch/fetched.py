"""What one exchange gave."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, whatever its status.

    Attributes
    ----------
    url : str
        Canonical URL that was requested.
    status : int
        100 to 599, never 1xx.
    headers : dict of str to str
        By lower-case name; repeated fields joined with ", ", X-Robots-Tag with line breaks.
    body : bytes
        Decoded; empty for a redirect, cut short for a 4xx or 5xx.
    redirect_to : str
        Absolute canonical target of a redirect, or "".
    address : str
        The numeric address that answered.
    wire_bytes : int
        Bytes received, headers included.
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    redirect_to: str = ""
    address: str = ""
    wire_bytes: int = 0
