"""The API and its description, under /api/v1/."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, re_path
from django.views.decorators.csrf import csrf_exempt

from topics.views.api import page_routes, topic_routes
from topics.views.api.base import RestApi, add_problems
from topics.views.api.problem_details import problem

View = Callable[..., HttpResponse]

api = RestApi(
    title="FocusWeb",
    version="1",
    description="Topics, pages, searches and what you say of pages. docs/api.md has examples.",
    docs_url=None,
    openapi_url="/openapi.json",
    urls_namespace="api",
)
add_problems(api)
api.add_router("", topic_routes.router)
api.add_router("", page_routes.router)


def _with_problem(view: View) -> View:
    """A view that refuses a method as it refuses all else: with problem details."""

    @wraps(view)
    def answer(request: HttpRequest, **keys: str) -> HttpResponse:
        response = view(request, **keys)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        allowed = ", ".join(sorted(response.headers["Allow"].split(", ")))
        refused = problem(405, f"this address does not take {request.method}, only {allowed}")
        refused.headers["Allow"] = allowed
        return refused

    return answer


def _with_head(view: View) -> View:
    """A view that answers HEAD as GET (RFC 9110, 9.1); the server leaves the body out."""

    @wraps(view)
    def answer(request: HttpRequest, **keys: str) -> HttpResponse:
        if request.method != "HEAD":
            return view(request, **keys)
        request.method = "GET"
        try:
            return view(request, **keys)
        finally:
            request.method = "HEAD"

    return answer


@csrf_exempt
@login_not_required
def unknown(request: HttpRequest) -> HttpResponse:
    """Answer for an address that the API does not have."""
    return problem(404, "the API has no such address; /api/v1/openapi.json describes all")


app_name = "api"
urlpatterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)]
for pattern in urlpatterns:
    # A token takes the place of a session. The root is there to be named only.
    answer = unknown if pattern.name == "api-root" else _with_problem(_with_head(pattern.callback))
    pattern.callback = login_not_required(answer)
urlpatterns.append(re_path("", unknown))
