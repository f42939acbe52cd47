"""Addresses of everything people see."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.i18n import set_language

from topics.views import lists, page_detail, run_pages, search, system

urlpatterns = [
    path("", lists.topic_list, name="topic_list"),
    path("topics/<str:slug>/", lists.topic_detail, name="topic_detail"),
    path("topics/<str:slug>/fresh", lists.topic_pages, name="topic_pages"),
    path("topics/<str:slug>/crawl", lists.topic_crawl_now, name="topic_crawl_now"),
    path("topics/<str:slug>/stop", lists.topic_stop, name="topic_stop"),
    path("topics/<str:slug>/runs/", run_pages.run_list, name="run_list"),
    path("topics/<str:slug>/runs/<int:pk>/", run_pages.run_detail, name="run_detail"),
    path("topics/<str:slug>/runs/<int:pk>/live", run_pages.run_live, name="run_live"),
    path("topics/<str:slug>/runs/<int:pk>/strip", run_pages.run_strip, name="run_strip"),
    path("topics/<str:slug>/runs/<int:pk>/kept", run_pages.run_kept, name="run_kept"),
    path(
        "topics/<str:slug>/runs/<int:pk>/reasons/<str:code>",
        run_pages.run_reason,
        name="run_reason",
    ),
    path("topics/<str:slug>/pages/<int:pk>/", page_detail.page_detail, name="page_detail"),
    path("search/", search.search, name="search"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("favicon.ico", system.favicon),
    path("health", system.health, name="health"),
]
