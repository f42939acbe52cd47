"""What every answer of the API has: a token, an ETag, and problem details for errors."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from ninja import NinjaAPI, Status
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.security import HttpBearer

from topics.accounts.api_tokens import KeyReusedError, TokenScope, find_token, once
from topics.errors import AlreadyRunning, TopicError
from topics.models import ApiToken
from topics.search.errors import QueryError, SearchError
from topics.search.problems import sentence
from topics.views.api.problem_details import PROBLEM_TYPE, problem
from topics.views.api.shapes import Problem
from topics.views.api.topic_body import SCHEMAS


class Token(HttpBearer):
    """Needs a token with a scope, in the header `Authorization: Bearer`."""

    def __init__(self, scope: TokenScope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """The token of the request; None if there is none."""
        found = find_token(token, timezone.now())
        if found is None:
            return None
        if self.scope.value not in found.scopes:
            raise HttpError(403, f"this token does not have the scope {self.scope.value}")
        request.user = found.user
        return found


READ, FEEDBACK, MANAGE = (
    Token(TokenScope.READ),
    Token(TokenScope.FEEDBACK),
    Token(TokenScope.MANAGE),
)
#: What any operation may answer, besides its own statuses.
ERRORS: dict[Any, Any] = dict.fromkeys((400, 401, 403, 404, 413, 422, 503), Problem)


class RestApi(NinjaAPI):
    """An API whose answers have an ETag, and whose errors are problem details (RFC 9457)."""

    def create_response(
        self,
        request: HttpRequest,
        data: Any,
        *args: Any,
        status: int | None = None,
        temporal_response: HttpResponse | None = None,
        **more: Any,
    ) -> HttpResponse:
        """Add the ETag; a client that has this answer already gets a 304 without a body."""
        response = super().create_response(
            request, data, *args, status=status, temporal_response=temporal_response, **more
        )
        response.headers["Cache-Control"] = "private, no-cache"
        if request.method in ("GET", "HEAD") and response.status_code == HTTPStatus.OK:
            etag = response.headers.get("ETag") or etag_of(response.content)
            response.headers["ETag"] = etag
            found = get_conditional_response(request, etag=etag, response=response)
            return found or response
        return response

    def get_openapi_schema(self, **more: Any) -> OpenAPISchema:
        """The description of the API, in which errors have their own media type."""
        schema = super().get_openapi_schema(**more)
        schema["components"]["schemas"] |= SCHEMAS
        for methods in schema["paths"].values():
            for operation in methods.values():
                for status, answer in operation["responses"].items():
                    if int(status) >= 400 and "content" in answer:
                        answer["content"] = {PROBLEM_TYPE: answer["content"]["application/json"]}
        return schema


def etag_of(body: bytes) -> str:
    """The ETag of an answer with this body."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def answer_once(
    request: HttpRequest, key: str, produce: Callable[[], tuple[int, Any]]
) -> Status[Any]:
    """Do what a request wants; once only, if it has an idempotency key."""
    token: ApiToken = request.auth  # type: ignore[attr-defined]  # set by `Token`
    wanted = f"{request.method} {request.path}\n".encode() + request.body
    return Status(*once(token, key, wanted, produce, timezone.now()))


def add_problems(api: RestApi) -> None:
    """Answer every error that an operation may raise with problem details."""

    def answer(kind: type[Exception], status: int, detail: str = "") -> None:
        api.add_exception_handler(
            kind, lambda request, error: problem(status, detail or str(error))
        )

    answer(AuthenticationError, 401, "this needs a token: Authorization: Bearer TOKEN")
    answer(Http404, 404, "there is no such thing, or it is not yours")
    answer(AlreadyRunning, 409)
    answer(KeyReusedError, 422)
    answer(TopicError, 422)
    answer(SearchError, 422)

    @api.exception_handler(QueryError)
    def wrong_query(request: HttpRequest, error: QueryError) -> HttpResponse:
        return problem(422, sentence(error.problem, error.position, error.found, error.hint))

    @api.exception_handler(HttpError)
    def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
        return problem(error.status_code, str(error))

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        wrong = [
            {"at": [str(part) for part in one["loc"]], "message": one["msg"]}
            for one in error.errors
        ]
        return problem(422, "the request is not valid", errors=wrong)
