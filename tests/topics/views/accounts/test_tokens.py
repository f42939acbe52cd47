"""The page of API tokens: a secret is shown once; a token is revoked by its owner alone."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.topics.factories import NOON
from topics.accounts.api_tokens import TokenScope, make_token
from topics.models import ApiToken


@pytest.fixture
def page(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def test_a_token_is_shown_once_and_revoked(page: Client, ann: User) -> None:
    made = page.post("/account/tokens/", {"name": "<cli>", "scopes": ["read"]})
    secret = made.context["secret"]
    html = made.content.decode()

    assert secret in html
    assert "&lt;cli&gt;" in html
    assert made.headers["Cache-Control"] == "private, no-store"
    assert secret not in page.get("/account/tokens/").content.decode()
    token = ApiToken.objects.get()
    assert secret not in json.dumps([token.digest, token.name])
    assert page.post(f"/account/tokens/{token.pk}/revoke").status_code == 302
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("form", [{}, {"name": "x"}, {"name": "x", "scopes": ["all"]}])
def test_a_token_without_name_or_scope_is_not_made(page: Client, form: dict[str, Any]) -> None:
    assert page.post("/account/tokens/", form).status_code == 422
    assert not ApiToken.objects.exists()


def test_nobody_revokes_the_token_of_another(page: Client, bob: User) -> None:
    make_token(bob, "test", list(TokenScope), NOON)

    path = reverse("token_revoke", args=[ApiToken.objects.get().pk])
    assert page.post(path).status_code == 404
