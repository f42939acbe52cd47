"""The administration: topics to edit; runs, sites and frontier to view."""

from django.apps import apps
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from topics.admin.delivery import AlertAdmin, DigestAdmin, DigestIssueAdmin
from topics.admin.knowledge import ConceptAdmin, OntologyAdmin
from topics.admin.reports import PolicyReportAdmin
from topics.admin.topics import FrontierEntryAdmin, RunAdmin, SiteAdmin, TopicAdmin

# A schedule row of the queue can name any function, so none is edited by hand.
for _model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)

admin.site.site_header = admin.site.site_title = "FocusWeb"
admin.site.index_title = _("Administration")
