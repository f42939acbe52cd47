"""What is said of a new password that is refused."""

import pytest
from django.test import Client

ACCOUNT = "/account/password"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The password is too short: it needs at least 8 characters."),
        ("zh-hans", "密码太短，至少需要 8 个字符。"),
        ("zh-hant", "密碼太短，至少需要 8 個字元。"),
    ],
)
def test_a_short_password_is_refused_in_the_readers_language(
    as_ann: Client, language: str, said: str
) -> None:
    given = {"old_password": "ann", "new_password1": "q7", "new_password2": "q7"}
    answer = as_ann.post(ACCOUNT, given, headers={"Accept-Language": language})
    assert said in answer.content.decode()
