"""The API and its description, under /api/v1/."""

from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern

from topics.views.api import page_routes, topic_routes
from topics.views.api.base import RestApi, add_problems

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

app_name = "api"
urlpatterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)]
# A token takes the place of a session.
for pattern in urlpatterns:
    login_not_required(pattern.callback)
