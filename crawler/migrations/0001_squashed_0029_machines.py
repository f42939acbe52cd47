import crawler.models.knowledge
import datetime
import django.db.models.deletion
import django.db.models.functions.comparison
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("crawler", "0001_initial"),
        ("crawler", "0002_empty_lists"),
        ("crawler", "0003_trust"),
        ("crawler", "0004_own_fingerprint"),
        ("crawler", "0005_density"),
        ("crawler", "0006_unreadable_lists"),
        ("crawler", "0007_all_rest"),
        ("crawler", "0008_listed"),
        ("crawler", "0009_by_trust"),
        ("crawler", "0010_pdf_reasons"),
        ("crawler", "0011_ontology_owner"),
        ("crawler", "0012_first_owner"),
        ("crawler", "0013_planning_indexes"),
        ("crawler", "0014_open_assignments"),
        ("crawler", "0015_judge_relevance"),
        ("crawler", "0016_articles"),
        ("crawler", "0017_site_robots"),
        ("crawler", "0018_site_quarantined"),
        ("crawler", "0019_site_lines"),
        ("crawler", "0020_no_time_limit"),
        ("crawler", "0021_redirects_to"),
        ("crawler", "0022_fill_redirects_to"),
        ("crawler", "0023_plain_words"),
        ("crawler", "0024_sources_are_rows"),
        ("crawler", "0025_fill_sources"),
        ("crawler", "0026_ends_of_runs"),
        ("crawler", "0027_runs_by_time"),
        ("crawler", "0028_news_by_date"),
        ("crawler", "0029_machines"),
    ]

    initial = True

    dependencies = [
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Crawl",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField(max_length=80, unique=True)),
                ("profile_json", models.JSONField(default=dict)),
                ("settings_json", models.JSONField(default=dict)),
                ("version", models.PositiveIntegerField(default=1)),
                ("first_seen", models.DateTimeField()),
                ("managed_by", models.CharField(blank=True, default="", max_length=120)),
                (
                    "managed_until",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                ("link_scale", models.FloatField(default=1.0, help_text="s of the link value")),
                (
                    "n_unranked",
                    models.PositiveIntegerField(
                        default=0, help_text="pages since the last ranking"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IndexOutbox",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("page_id", models.BigIntegerField()),
                ("queued", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Ontology",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "slug",
                    models.SlugField(allow_unicode=True, max_length=80, verbose_name="short name"),
                ),
                ("title", models.CharField(max_length=200, verbose_name="name")),
                ("revision", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("changed", models.DateTimeField(editable=False, verbose_name="changed")),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="ontologies",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "shared",
                    models.BooleanField(
                        default=False,
                        help_text="other users can use and export it, but not change it",
                        verbose_name="shared",
                    ),
                ),
            ],
            options={
                "verbose_name": "ontology",
                "verbose_name_plural": "ontologies",
                "ordering": ["title", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "slug"), name="one_ontology_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Concept",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "iri",
                    models.CharField(
                        help_text="an IRI; FocusWeb never opens it",
                        max_length=2000,
                        verbose_name="identifier",
                    ),
                ),
                (
                    "ontology",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="concepts",
                        to="crawler.ontology",
                        verbose_name="ontology",
                    ),
                ),
            ],
            options={
                "verbose_name": "concept",
                "verbose_name_plural": "concepts",
                "constraints": [
                    models.UniqueConstraint(fields=("ontology", "iri"), name="one_concept_per_iri")
                ],
            },
        ),
        migrations.CreateModel(
            name="Site",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="host, or host:port",
                        max_length=260,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                (
                    "domain",
                    models.CharField(
                        db_index=True,
                        help_text="registrable domain",
                        max_length=260,
                        verbose_name="domain",
                    ),
                ),
                ("first_seen", models.DateTimeField(verbose_name="first seen")),
                (
                    "delay_s",
                    models.FloatField(
                        default=0.0,
                        help_text="minimum delay that the site requests; 0 for the default",
                        verbose_name="politeness delay (s)",
                    ),
                ),
                (
                    "next_fetch_at",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                ("held_by", models.CharField(blank=True, default="", max_length=120)),
                (
                    "held_until",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                (
                    "robots_verdict",
                    models.CharField(
                        blank=True, default="", max_length=12, verbose_name="robots.txt status"
                    ),
                ),
                (
                    "robots_until",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                (
                    "stopped",
                    models.BooleanField(
                        default=False,
                        help_text="never contact this site again",
                        verbose_name="stopped",
                    ),
                ),
                ("day", models.DateField(null=True)),
                ("pages_today", models.PositiveIntegerField(default=0)),
                ("bytes_today", models.PositiveBigIntegerField(default=0)),
                (
                    "missing_print",
                    models.BigIntegerField(default=0, help_text="64-bit SimHash, as signed"),
                ),
                (
                    "missing_until",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
            ],
            options={
                "verbose_name": "site",
                "verbose_name_plural": "sites",
                "indexes": [
                    models.Index(
                        condition=models.Q(("stopped", True)), fields=["name"], name="sites_stopped"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Url",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField(unique=True)),
                ("first_seen", models.DateTimeField()),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="urls",
                        to="crawler.site",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Story",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first_seen", models.DateTimeField()),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stories",
                        to="crawler.crawl",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Knowledge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                ("version", models.PositiveIntegerField(default=1)),
                ("payload", models.BinaryField(default=b"")),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="knowledge",
                        to="crawler.crawl",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("crawl", "name"), name="one_value_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=500, verbose_name="label")),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        help_text="such as zh or en",
                        max_length=40,
                        verbose_name="language",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("preferred", "preferred"),
                            ("alternative", "alternative"),
                            ("hidden", "hidden (matched, never shown)"),
                        ],
                        default="preferred",
                        max_length=12,
                        verbose_name="kind",
                    ),
                ),
                (
                    "concept",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labels",
                        to="crawler.concept",
                    ),
                ),
            ],
            options={
                "verbose_name": "label",
                "verbose_name_plural": "labels",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("concept", "language", "text"), name="one_label_per_language"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Page",
            fields=[
                (
                    "url",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="crawler.url",
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=300)),
                ("language", models.CharField(blank=True, max_length=12)),
                ("charset", models.CharField(blank=True, max_length=40)),
                ("packed_text", models.BinaryField(default=b"")),
                ("packed_terms", models.BinaryField(default=b"")),
                ("packed_links", models.BinaryField(db_default=b"", default=b"")),
                (
                    "fingerprint",
                    models.BigIntegerField(default=0, help_text="64-bit SimHash, as signed"),
                ),
                ("content_hash", models.CharField(blank=True, db_index=True, max_length=32)),
                ("noindex", models.BooleanField(default=False)),
                ("flags", models.CharField(blank=True, max_length=120)),
                ("etag", models.CharField(blank=True, max_length=200)),
                ("last_modified", models.CharField(blank=True, max_length=60)),
                ("published", models.DateTimeField(blank=True, null=True)),
                ("first_fetched", models.DateTimeField()),
                ("fetched", models.DateTimeField()),
                ("changed", models.DateTimeField()),
                ("n_fetches", models.PositiveIntegerField(default=1)),
                ("packed_checks", models.BinaryField(db_default=b"", default=b"")),
                (
                    "canonical",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="crawler.url",
                    ),
                ),
                (
                    "own_fingerprint",
                    models.BigIntegerField(
                        help_text="the same of what it says itself; null for unknown, 0 for too little",
                        null=True,
                    ),
                ),
                ("byline", models.CharField(max_length=200, null=True)),
                (
                    "line_kinds",
                    models.TextField(help_text="one letter for each line of the text", null=True),
                ),
                (
                    "picture",
                    models.TextField(
                        help_text="address of its own picture; never fetched", null=True
                    ),
                ),
                ("reader_version", models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("reader_version", None)),
                        fields=["url"],
                        name="pages_outdated",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Link",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "source_id",
                        "target_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "found_day",
                    models.PositiveIntegerField(
                        db_default=0, default=0, help_text="days since 1970-01-01 UTC"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="out_links",
                        to="crawler.url",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="in_links",
                        to="crawler.url",
                    ),
                ),
                (
                    "in_frame",
                    models.BooleanField(
                        help_text="in the frame of its page; null for unknown, which counts as not",
                        null=True,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Relation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("synonym", "means the same as"),
                            ("has", "has part"),
                            ("one_of", "is part of"),
                            ("is_a", "includes (narrower)"),
                            ("kind_of", "is a kind of (broader)"),
                        ],
                        max_length=8,
                        verbose_name="relation",
                    ),
                ),
                (
                    "degree",
                    models.FloatField(
                        blank=True,
                        help_text="how strongly the two are related, from 0 to 1; empty for the default",
                        null=True,
                        validators=[crawler.models.knowledge.validate_degree],
                        verbose_name="degree",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="relations",
                        to="crawler.concept",
                        verbose_name="concept",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="related_from",
                        to="crawler.concept",
                        verbose_name="other concept",
                    ),
                ),
            ],
            options={
                "verbose_name": "relation",
                "verbose_name_plural": "relations",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "kind", "target"), name="one_relation_per_fact"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("source", models.F("target")), _negated=True),
                        name="no_relation_to_itself",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("started", models.DateTimeField(verbose_name="started")),
                ("ended", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                ("n_pages", models.PositiveIntegerField(verbose_name="page limit")),
                (
                    "begun",
                    models.BooleanField(default=False, help_text="its seeds are in the frontier"),
                ),
                (
                    "problems",
                    models.JSONField(default=list, help_text="what its sources could not do"),
                ),
                ("stop_asked", models.BooleanField(default=False)),
                (
                    "stop_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("budget", "BUDGET"),
                            ("frontier_empty", "FRONTIER_EMPTY"),
                            ("strategy_ended", "STRATEGY_ENDED"),
                            ("rest_later", "REST_LATER"),
                            ("stopped", "STOPPED"),
                            ("no_seeds", "NO_SEEDS"),
                            ("nothing_reachable", "NOTHING_REACHABLE"),
                            ("all_rest", "ALL_REST"),
                            ("no_contact", "NO_CONTACT"),
                        ],
                        max_length=24,
                        verbose_name="end reason",
                    ),
                ),
                (
                    "stop_detail",
                    models.CharField(blank=True, max_length=300, verbose_name="detail"),
                ),
                (
                    "fetched",
                    models.PositiveIntegerField(
                        default=0, help_text="pages, 304 included", verbose_name="fetched"
                    ),
                ),
                ("kept", models.PositiveIntegerField(default=0, verbose_name="kept")),
                ("failed", models.PositiveIntegerField(default=0, verbose_name="failed")),
                ("n_bytes", models.BigIntegerField(default=0, verbose_name="bytes")),
                ("links_dropped", models.PositiveIntegerField(default=0)),
                (
                    "cpu_s",
                    models.FloatField(
                        default=0.0,
                        help_text="collector and parser processes",
                        verbose_name="CPU seconds",
                    ),
                ),
                (
                    "reasons",
                    models.JSONField(default=dict, help_text="reason code -> how many URLs"),
                ),
                ("last_url", models.TextField(blank=True, verbose_name="last URL")),
                (
                    "progress_at",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="crawler.crawl",
                        verbose_name="crawl",
                    ),
                ),
            ],
            options={
                "verbose_name": "run",
                "verbose_name_plural": "crawl runs",
                "indexes": [models.Index(fields=["crawl", "started"], name="runs_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended", None)),
                        fields=("crawl",),
                        name="one_open_run_per_crawl",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("posted", models.DateTimeField()),
                ("posted_by", models.CharField(blank=True, default="", max_length=120)),
                ("taken_by", models.CharField(blank=True, default="", max_length=120)),
                (
                    "leased_until",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("closed", models.DateTimeField(blank=True, null=True)),
                (
                    "died",
                    models.BooleanField(
                        default=False, help_text="its collector died or fell silent"
                    ),
                ),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="crawler.crawl",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="crawler.run",
                    ),
                ),
                ("sites", models.ManyToManyField(related_name="assignments", to="crawler.site")),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("closed", None)),
                        fields=["run"],
                        name="open_assignments",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Harvest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kept", models.BooleanField(default=False)),
                ("relevance", models.FloatField(default=0.0)),
                ("content_value", models.FloatField(default=0.0)),
                ("link_value", models.FloatField(default=0.0)),
                ("score", models.FloatField(default=0.0)),
                ("n_linking_sites", models.PositiveIntegerField(default=0)),
                ("link_scale", models.FloatField(default=1.0, help_text="s of its link value")),
                ("explanation", models.JSONField(default=dict)),
                ("first_seen", models.DateTimeField()),
                ("published", models.DateTimeField(blank=True, null=True)),
                ("baseline", models.BooleanField(db_default=False, default=False)),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="harvests",
                        to="crawler.crawl",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="harvests",
                        to="crawler.url",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="harvests",
                        to="crawler.run",
                    ),
                ),
                (
                    "story",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="harvests",
                        to="crawler.story",
                    ),
                ),
                (
                    "trust",
                    models.FloatField(
                        db_default=1.0, default=1.0, help_text="less if it is stuffed"
                    ),
                ),
                (
                    "density",
                    models.FloatField(
                        db_default=0.0, default=0.0, help_text="how much of it is about the topic"
                    ),
                ),
                (
                    "judge_relevance",
                    models.FloatField(
                        help_text="what the judge says, without feedback; none before it was noted",
                        null=True,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["crawl", "kept", "-score"], name="crawler_har_crawl_i_dac5f1_idx"
                    ),
                    models.Index(fields=["crawl", "trust"], name="crawler_har_crawl_i_36a47e_idx"),
                    models.Index(
                        models.F("crawl"),
                        django.db.models.functions.comparison.Coalesce("published", "first_seen"),
                        condition=models.Q(("baseline", False), ("kept", True)),
                        name="news_by_date",
                    ),
                    models.Index(
                        condition=models.Q(("baseline", False), ("kept", True)),
                        fields=["crawl", "first_seen"],
                        name="news_by_find",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("crawl", "url"), name="one_harvest_per_url")
                ],
            },
        ),
        migrations.CreateModel(
            name="FrontierEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "New"),
                            ("leased", "Leased"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("quarantined", "Quarantined"),
                        ],
                        default="new",
                        max_length=12,
                        verbose_name="status",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("fetched", "FETCHED"),
                            ("redirected", "REDIRECTED"),
                            ("unchanged", "UNCHANGED"),
                            ("duplicate", "DUPLICATE"),
                            ("no_entries", "NO_ENTRIES"),
                            ("url_invalid", "URL_INVALID"),
                            ("url_too_long", "URL_TOO_LONG"),
                            ("port_forbidden", "PORT_FORBIDDEN"),
                            ("address_forbidden", "ADDRESS_FORBIDDEN"),
                            ("robots_forbidden", "ROBOTS_FORBIDDEN"),
                            ("robots_unreachable", "ROBOTS_UNREACHABLE"),
                            ("no_contact", "NO_CONTACT"),
                            ("site_stopped", "SITE_STOPPED"),
                            ("site_quarantined", "SITE_QUARANTINED"),
                            ("site_budget", "SITE_BUDGET"),
                            ("trap", "TRAP"),
                            ("name_unknown", "NAME_UNKNOWN"),
                            ("name_unanswered", "NAME_UNANSWERED"),
                            ("connect_failed", "CONNECT_FAILED"),
                            ("connect_timeout", "CONNECT_TIMEOUT"),
                            ("tls_failed", "TLS_FAILED"),
                            ("deadline", "DEADLINE"),
                            ("incomplete", "INCOMPLETE"),
                            ("too_large", "TOO_LARGE"),
                            ("bad_encoding", "BAD_ENCODING"),
                            ("bad_response", "BAD_RESPONSE"),
                            ("too_many_redirects", "TOO_MANY_REDIRECTS"),
                            ("redirect_forbidden", "REDIRECT_FORBIDDEN"),
                            ("gone", "GONE"),
                            ("access_denied", "ACCESS_DENIED"),
                            ("client_error", "CLIENT_ERROR"),
                            ("server_error", "SERVER_ERROR"),
                            ("too_many_requests", "TOO_MANY_REQUESTS"),
                            ("not_html", "NOT_HTML"),
                            ("unreadable_list", "UNREADABLE_LIST"),
                            ("empty", "EMPTY"),
                            ("no_text", "NO_TEXT"),
                            ("pdf_without_text", "PDF_WITHOUT_TEXT"),
                            ("pdf_encrypted", "PDF_ENCRYPTED"),
                            ("pdf_unreadable", "PDF_UNREADABLE"),
                            ("noindex", "NOINDEX"),
                            ("soft_404", "SOFT_404"),
                            ("parser_limit", "PARSER_LIMIT"),
                            ("parser_crashed", "PARSER_CRASHED"),
                            ("quarantined", "QUARANTINED"),
                            ("too_many_tries", "TOO_MANY_TRIES"),
                        ],
                        max_length=24,
                        verbose_name="reason",
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=300, verbose_name="detail")),
                ("template", models.BigIntegerField(default=0)),
                ("tier", models.PositiveSmallIntegerField(default=0)),
                (
                    "stale",
                    models.BooleanField(default=False, help_text="its page said nothing new"),
                ),
                ("priority", models.FloatField(default=0.0, verbose_name="priority")),
                ("depth_hops", models.PositiveIntegerField(default=0, verbose_name="depth")),
                ("redirect_hops", models.PositiveSmallIntegerField(default=0)),
                ("memo", models.BinaryField(default=b"")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("crashes", models.PositiveSmallIntegerField(default=0)),
                ("trials", models.PositiveSmallIntegerField(default=0)),
                (
                    "not_before",
                    models.DateTimeField(
                        default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
                    ),
                ),
                ("found", models.DateTimeField(verbose_name="found")),
                ("ended", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                ("integrated", models.BooleanField(default=False)),
                (
                    "assignment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="entries",
                        to="crawler.assignment",
                    ),
                ),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frontier",
                        to="crawler.crawl",
                        verbose_name="crawl",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crawler.url",
                        verbose_name="found on",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frontier",
                        to="crawler.url",
                        verbose_name="URL",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crawler.run",
                        verbose_name="run",
                    ),
                ),
                (
                    "listed",
                    models.DateTimeField(
                        blank=True,
                        help_text="when a feed or sitemap says it was published",
                        null=True,
                    ),
                ),
                (
                    "may_be_fresh",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="its page was looked at before it was found, or a list dates it",
                    ),
                ),
                (
                    "redirects_to",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crawler.url",
                    ),
                ),
            ],
            options={
                "verbose_name": "frontier entry",
                "verbose_name_plural": "frontier entries",
                "indexes": [
                    models.Index(
                        fields=["crawl", "state", "tier", "-priority"],
                        name="crawler_fro_crawl_i_9fd11b_idx",
                    ),
                    models.Index(
                        fields=["crawl", "template"], name="crawler_fro_crawl_i_7ec760_idx"
                    ),
                    models.Index(
                        fields=["assignment", "state"], name="crawler_fro_assignm_141284_idx"
                    ),
                    models.Index(
                        condition=models.Q(("may_be_fresh", True)),
                        fields=["crawl", "state", "tier", "-priority"],
                        name="frontier_may_be_fresh",
                    ),
                    models.Index(
                        condition=models.Q(("state", "new")),
                        fields=["crawl", "not_before"],
                        name="frontier_due",
                    ),
                    models.Index(
                        condition=models.Q(("ended__isnull", False)),
                        fields=["run", "ended"],
                        name="frontier_ended",
                    ),
                    models.Index(
                        condition=models.Q(("redirects_to__isnull", False)),
                        fields=["redirects_to"],
                        name="frontier_redirects_to",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("crawl", "url"), name="one_frontier_entry_per_url"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SiteRobots",
            fields=[
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="stored_robots",
                        serialize=False,
                        to="crawler.site",
                    ),
                ),
                ("packed", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="SiteLines",
            fields=[
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="stored_lines",
                        serialize=False,
                        to="crawler.site",
                    ),
                ),
                ("packed", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("address", models.TextField()),
                ("since", models.DateTimeField(help_text="when it became known")),
                ("rate", models.JSONField(help_text="crawler.revisit.rate.Rate")),
                ("visited", models.DateTimeField(help_text="last visit that worked", null=True)),
                (
                    "last_new",
                    models.DateTimeField(help_text="last visit with something on topic", null=True),
                ),
                ("overflowed", models.BooleanField(default=False)),
                (
                    "failures",
                    models.PositiveIntegerField(default=0, help_text="visits in a row that failed"),
                ),
                ("failing_since", models.DateTimeField(null=True)),
                ("failed", models.DateTimeField(null=True)),
                ("named", models.BooleanField(default=False, help_text="a user named it")),
                ("asked", models.DateTimeField(null=True)),
                ("brought", models.JSONField(default=list)),
                ("n_listed", models.PositiveIntegerField(default=0)),
                (
                    "problem",
                    models.JSONField(help_text="crawler.problems.Problem, of a search", null=True),
                ),
                (
                    "crawl",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to="crawler.crawl",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("crawl", "address"), name="one_source_per_address"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Machine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200, unique=True)),
                ("instance", models.CharField(max_length=500)),
                ("roles", models.CharField(max_length=50)),
                ("n_workers", models.PositiveIntegerField()),
                ("version", models.CharField(max_length=50)),
                ("key_print", models.CharField(max_length=64)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
    ]
