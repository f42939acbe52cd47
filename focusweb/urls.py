"""Addresses of the site."""

from django.contrib import admin
from django.urls import include, path

from topics.views.api.urls import patterns as api_patterns

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include((api_patterns, "api"))),
    path("", include("topics.urls")),
]
handler400 = "topics.middleware.limits_and_faults.bad_request"
handler500 = "topics.middleware.limits_and_faults.server_fault"
