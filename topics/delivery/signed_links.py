"""Links that need no login: each has the number of a row, signed for one purpose."""

from dataclasses import dataclass
from typing import TypeVar

from django.core.signing import BadSignature, Signer
from django.db.models import Model, QuerySet
from django.urls import reverse

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class SignedLink:
    """The links of one purpose: the name of their URL, and the salt of their signatures."""

    url_name: str
    salt: str

    def path(self, row: Model) -> str:
        """Return the path of the link for a row; it never changes."""
        return reverse(self.url_name, args=[Signer(salt=self.salt).sign(str(row.pk))])

    def find(self, token: str, rows: QuerySet[M]) -> M | None:
        """Return the row of a link; None if the link is forged or the row is not in `rows`."""
        try:
            key = Signer(salt=self.salt).unsign(token)
        except BadSignature:
            return None
        return rows.filter(pk=key).first()
