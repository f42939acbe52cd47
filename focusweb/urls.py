"""Addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("topics.urls")),
]
handler400 = "topics.views.front.bad_request"
handler500 = "topics.views.front.server_fault"
