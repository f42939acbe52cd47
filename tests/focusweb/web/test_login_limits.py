"""Pauses after wrong passwords, as numbers."""

import pytest

from focusweb.web.login_limits import FORGET_S, LONGEST_PAUSE_S, LoginLimits, place_of_address


def fail(limits: LoginLimits, times: int, now_s: float = 0.0, place: str = "here") -> list[float]:
    """The pauses that as many tries met, one after the other at the same moment."""
    return [limits.attempt("ann", place, now_s) for _ in range(times)]


def test_the_sixth_try_has_to_wait() -> None:
    assert fail(LoginLimits(), 6) == [0, 0, 0, 0, 0, 1]


def test_pauses_double_up_to_a_quarter_of_an_hour() -> None:
    limits, now_s, pauses = LoginLimits(), 0.0, []
    fail(limits, 5)
    for _ in range(13):
        pauses.append(wait_s := limits.attempt("ann", "here", now_s))
        now_s += wait_s
        assert limits.attempt("ann", "here", now_s) == 0
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_tries_within_a_pause_do_not_make_it_longer() -> None:
    limits = LoginLimits()
    fail(limits, 100)
    assert limits.attempt("ann", "here", 0.5) == 0.5


def test_many_places_never_make_another_wait() -> None:
    limits = LoginLimits()
    for n in range(1000):
        limits.attempt("ann", f"place {n % 20}", now_s=n / 10)
    assert limits.attempt("ann", "home", 100.0) == 0


def test_while_an_account_is_guessed_at_each_place_has_one_free_try() -> None:
    limits = LoginLimits()
    for n in range(20):
        limits.attempt("ann", f"place {n}", 0.0)
    assert fail(limits, 2, place="home") == [0, 1]
    assert limits.attempt("bob", "home", 0.0) == 0


def test_a_place_that_tries_many_accounts_has_to_wait() -> None:
    limits = LoginLimits()
    assert [limits.attempt(f"user {n}", "here", 0.0) for n in range(21)] == [0] * 20 + [1]


def test_a_known_browser_waits_for_its_own_failures_only() -> None:
    limits = LoginLimits()
    for n in range(100):
        limits.attempt(f"user {n}", "here", 0.0)
        limits.attempt("ann", f"place {n}", 0.0)
    pauses = [limits.attempt("ann", "browser x", 0.0, is_known=True) for _ in range(6)]
    assert pauses == [0, 0, 0, 0, 0, 1]


def test_the_right_password_is_no_failure_and_ends_the_pauses() -> None:
    limits = LoginLimits()
    fail(limits, 5)
    assert limits.attempt("ann", "here", 2.0) == 0
    limits.succeed("ann", "here")
    assert fail(limits, 6, now_s=2.0) == [0, 0, 0, 0, 0, 1]


def test_an_account_of_ones_own_does_not_end_the_pauses_for_others() -> None:
    limits = LoginLimits()
    for n in range(20):
        limits.attempt(f"user {n}", "here", 0.0)
    assert limits.attempt("eve", "here", 2.0) == 0
    limits.succeed("eve", "here")
    assert limits.attempt("another", "here", 2.0) > 0


def test_failures_are_forgotten() -> None:
    limits = LoginLimits()
    fail(limits, 5)
    assert limits.attempt("ann", "here", 0.0) == 1
    assert fail(limits, 6, now_s=FORGET_S + 1) == [0, 0, 0, 0, 0, 1]
    assert LONGEST_PAUSE_S < FORGET_S


def test_a_try_that_was_not_made_is_no_failure() -> None:
    limits = LoginLimits()
    for _ in range(50):
        assert limits.attempt("ann", "here", 0.0) == 0
        limits.withdraw("ann", "here")


def test_who_failed_before_is_known_to_have() -> None:
    limits = LoginLimits()
    limits.attempt("ann", "here", 0.0)
    assert not limits.has_failed("ann", "here")
    limits.attempt("ann", "here", 0.0)
    limits.attempt("bob", "here", 0.0)
    assert limits.has_failed("ann", "here")
    assert limits.has_failed("bob", "here")
    assert not limits.has_failed("bob", "here", is_known=True)
    limits.attempt("ann", "there", 0.0)
    assert not limits.has_failed("ann", "there")


def test_made_up_names_do_not_fill_the_memory() -> None:
    limits = LoginLimits()
    for n in range(30_000):
        limits.attempt(f"user {n}", f"place {n}", 0.0)
    assert limits.n_kept <= 20_000


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_a_network_of_ipv6_is_one_place(address: str, place: str) -> None:
    assert place_of_address(address) == place
