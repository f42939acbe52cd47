"""What our own strategies share: how a memory is packed, and the best waiting URLs first."""

import random
from collections.abc import Sequence
from typing import ClassVar, Self

import msgspec

from crawler.knowledge.profile import TopicProfile
from crawler.strategies.base import FrontierView, Integration, JudgedPage, Rating
from focusweb.parameters import Parameter, ParameterRule

#: Seeds go before every found link.
SEED_PRIORITY = 1000.0


class Memory(msgspec.Struct, frozen=True):
    """What a strategy remembers from one interval to the next: the fields of a subclass."""

    def dump(self) -> bytes:
        """Return it as a state."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def load(cls, state: bytes) -> Self:
        """Return what `dump` wrote."""
        return msgspec.msgpack.decode(state, type=cls)


class ByPriority:
    """A strategy whose ratings say everything; the base of most strategies."""

    #: What a person may set; None if the order does not say.
    parameters: ClassVar[tuple[Parameter, ...] | None] = None
    rules: ClassVar[tuple[ParameterRule, ...]] = ()

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """No memory."""
        return b""

    def rate_seed(self, position: int) -> Rating:
        """Seeds first, in the order they were given."""
        priority = SEED_PRIORITY - position * 1e-3
        return Rating(priority, {"seed": priority})

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn nothing."""
        return Integration(state)

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """Return the best waiting URLs."""
        return [entry.key for entry in view.waiting(n_pages)]
