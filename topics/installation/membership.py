"""Keep this machine known to the others that share the database."""

import logging
import threading
from typing import Self

from django.db import DatabaseError, connection

from crawler.api.machines import Presence, is_shared, leave, register_machine
from focusweb.runtime.run_folder import StartError

logger = logging.getLogger(__name__)

#: Four times in the time after which a silent machine counts as dead.
RENEW_EVERY_S = 10.0


class Membership:
    """While it is open, this machine is among those that share the database.

    A thread renews it, so that a server that does not answer keeps nothing else waiting.
    """

    def __init__(self, me: Presence, *, every_s: float = RENEW_EVERY_S) -> None:
        self._me, self._every_s = me, every_s
        self._over = threading.Event()
        self._refusal = ""
        self._thread = threading.Thread(target=self._renew, name="membership", daemon=True)

    def __enter__(self) -> Self:
        """Join, or raise `StartError`."""
        if is_shared():
            register_machine(self._me)
            self._thread.start()
        return self

    def check(self) -> None:
        """Raise `StartError` if this machine may not go on."""
        if self._refusal:
            raise StartError(self._refusal)

    def __exit__(self, *_: object) -> None:
        if not self._thread.is_alive():
            return
        self._over.set()
        # It may be waiting for a server that does not answer.
        self._thread.join(self._every_s)
        try:
            leave(self._me)
        except DatabaseError as problem:
            # Then the others find out by the silence.
            logger.warning("Cannot tell the other machines of the stop: %s", problem)

    def _renew(self) -> None:
        while not self._over.wait(self._every_s):
            try:
                register_machine(self._me)
            except StartError as refusal:
                self._refusal = str(refusal)
                break
            except DatabaseError as problem:
                logger.warning("The database does not answer: %s", problem)
                connection.close()
        connection.close()
