"""Requests to the REST API with a token, for several test modules."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.topics.factories import NOON
from topics.accounts.api_tokens import TokenScope, make_token

ROOT = "/api/v1"


Call = Callable[..., Any]


def token_of(user: User, *scopes: str) -> str:
    return make_token(user, "test", list(scopes or TokenScope), NOON)


@pytest.fixture
def call(client: Client, ann: User) -> Call:
    """Send a request with Ann's token; the answer has `.json()`."""
    secret = token_of(ann)

    def send(method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {"authorization": f"Bearer {secret}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        data = "" if body is None else json.dumps(body)
        return client.generic(method, f"{ROOT}{path}", data, "application/json", headers=named)

    return send
