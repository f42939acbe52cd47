"""Addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("topics.views.api.urls")),
    path("", include("topics.urls")),
]
handler400 = "topics.middleware.limits_and_faults.bad_request"
handler500 = "topics.middleware.limits_and_faults.server_fault"
