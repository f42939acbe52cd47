"""Addresses of everything people see."""

from django.urls import path

from topics.views import system

urlpatterns = [
    path("health", system.health, name="health"),
]
