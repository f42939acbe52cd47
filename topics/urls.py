"""Addresses of everything people see."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.i18n import set_language

from topics.views import (
    compare,
    csp_reports,
    page_detail,
    questions,
    run_pages,
    search,
    site_rules,
    sources,
    system,
    thumbs,
    topic,
)
from topics.views.delivery import alerts, digests, unsubscribe
from topics.views.profile import examples, ontologies, terms

urlpatterns = [
    path("", topic.topic_list, name="topic_list"),
    path("topics/<str:slug>/", topic.topic_detail, name="topic_detail"),
    path("topics/<str:slug>/fresh", topic.topic_pages, name="topic_pages"),
    path("topics/<str:slug>/known/", topic.topic_known, name="topic_known"),
    path("topics/<str:slug>/crawl", topic.topic_crawl_now, name="topic_crawl_now"),
    path("topics/<str:slug>/stop", topic.topic_stop, name="topic_stop"),
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
    path("topics/<str:slug>/sources/", sources.topic_sources, name="topic_sources"),
    path("topics/<str:slug>/sources/pages", sources.source_pages, name="source_pages"),
    path("topics/<str:slug>/sources/again", sources.source_again, name="source_again"),
    path("topics/<str:slug>/sites/<int:pk>/rule", site_rules.site_rule, name="site_rule"),
    path("topics/<str:slug>/pages/<int:pk>/", page_detail.page_detail, name="page_detail"),
    path("topics/<str:slug>/pages/<int:pk>/thumb", thumbs.page_thumb, name="page_thumb"),
    path("topics/<str:slug>/questions", questions.topic_questions, name="topic_questions"),
    path("topics/<str:slug>/profile/", terms.profile, name="topic_profile"),
    path("topics/<str:slug>/profile/preview", terms.profile_preview, name="topic_preview"),
    path(
        "topics/<str:slug>/profile/suggestions",
        terms.profile_suggestions,
        name="topic_suggestions",
    ),
    path("topics/<str:slug>/examples/", examples.topic_examples, name="topic_examples"),
    path(
        "topics/<str:slug>/examples/<int:pk>/remove",
        examples.topic_example_remove,
        name="topic_example_remove",
    ),
    path("topics/<str:slug>/concepts/", ontologies.topic_concepts, name="topic_concepts"),
    path(
        "topics/<str:slug>/concepts/named/<int:pk>",
        ontologies.topic_concepts_named,
        name="topic_concepts_named",
    ),
    path(
        "topics/<str:slug>/concepts/<int:pk>/remove",
        ontologies.topic_concept_remove,
        name="topic_concept_remove",
    ),
    path(
        "topics/<str:slug>/concepts/switch", ontologies.topic_term_switch, name="topic_term_switch"
    ),
    path(
        "topics/<str:slug>/ontology-notices/<int:pk>/read",
        ontologies.ontology_notice_read,
        name="ontology_notice_read",
    ),
    path("topics/<str:slug>/digest/", digests.topic_digest, name="topic_digest"),
    path("topics/<str:slug>/digest/preview/", digests.digest_preview, name="digest_preview"),
    path(
        "topics/<str:slug>/digest/preview/mail",
        digests.digest_preview_mail,
        name="digest_preview_mail",
    ),
    path("topics/<str:slug>/digest/test", digests.digest_test, name="digest_test"),
    path("topics/<str:slug>/digest/link", digests.digest_link, name="digest_link"),
    path("topics/<str:slug>/digest/<int:pk>/", digests.digest_issue, name="digest_issue"),
    path(
        "topics/<str:slug>/digest/<int:pk>/mail",
        digests.digest_issue_mail,
        name="digest_issue_mail",
    ),
    path(
        "topics/<str:slug>/digest/<int:pk>/file",
        digests.digest_issue_file,
        name="digest_issue_file",
    ),
    path(
        "topics/<str:slug>/digest/<int:pk>/again",
        digests.digest_issue_again,
        name="digest_issue_again",
    ),
    path(
        "topics/<str:slug>/digest/<int:pk>/came",
        digests.digest_issue_came,
        name="digest_issue_came",
    ),
    path("topics/<str:slug>/alerts/", alerts.topic_alerts, name="topic_alerts"),
    path("alerts/", alerts.alert_list, name="alert_list"),
    path("alerts/seen", alerts.alerts_seen, name="alerts_seen"),
    path("topics/<str:slug>/compare/", compare.compare, name="topic_compare"),
    path("topics/<str:slug>/compare/live", compare.compare_live, name="topic_compare_live"),
    path("topics/<str:slug>/compare/use", compare.compare_use, name="topic_compare_use"),
    path("ontologies/", ontologies.ontology_list, name="ontology_list"),
    path("ontologies/upload", ontologies.ontology_upload, name="ontology_upload"),
    path("ontologies/save", ontologies.ontology_save, name="ontology_save"),
    path("ontologies/<int:pk>/export", ontologies.ontology_export, name="ontology_export"),
    path("ontologies/<int:pk>/copy", ontologies.ontology_copy, name="ontology_copy"),
    path("ontologies/<int:pk>/delete", ontologies.ontology_delete, name="ontology_delete"),
    path("ontologies/<int:pk>/share", ontologies.ontology_share, name="ontology_share"),
    path("search/", search.search, name="search"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("unsubscribe/<str:token>/", unsubscribe.unsubscribe, name="unsubscribe"),
    path("confirm-address/<str:token>/", unsubscribe.confirm_address, name="confirm_address"),
    path("digests/stop", unsubscribe.digests_stop, name="digests_stop"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("favicon.ico", system.favicon),
    path("csp-report", csp_reports.csp_report, name="csp_report"),
    path("health", system.health, name="health"),
]
