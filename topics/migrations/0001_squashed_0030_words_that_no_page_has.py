import django.core.validators
import django.db.models.deletion
import topics.rules.validators
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("topics", "0001_initial"),
        ("topics", "0002_ranker"),
        ("topics", "0003_weights"),
        ("topics", "0004_owners_and_proofs"),
        ("topics", "0005_proved_addresses"),
        ("topics", "0006_policy_reports"),
        ("topics", "0007_depth_thirty"),
        ("topics", "0008_example_articles"),
        ("topics", "0009_questions"),
        ("topics", "0010_plain_words"),
        ("topics", "0011_link_scale"),
        ("topics", "0012_reading"),
        ("topics", "0013_absolute_ranking"),
        ("topics", "0014_saved_search"),
        ("topics", "0015_search_providers"),
        ("topics", "0016_accounts"),
        ("topics", "0017_channels_and_rules"),
        ("topics", "0018_tour"),
        ("topics", "0019_figures"),
        ("topics", "0020_digest_sections"),
        ("topics", "0021_api_tokens"),
        ("topics", "0022_feeds"),
        ("topics", "0023_feed_keys"),
        ("topics", "0024_page_changes"),
        ("topics", "0025_topic_plugin_settings"),
        ("topics", "0026_stored_news"),
        ("topics", "0027_stored_quotes"),
        ("topics", "0028_rule_conditions_and_events"),
        ("topics", "0029_digest_parts_and_pause"),
        ("topics", "0030_words_that_no_page_has"),
    ]

    initial = True

    dependencies = [
        ("auth", "__first__"),
        ("crawler", "0028_news_by_date"),
    ]

    operations = [
        migrations.CreateModel(
            name="Topic",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                (
                    "slug",
                    models.SlugField(allow_unicode=True, max_length=80, verbose_name="short name"),
                ),
                (
                    "languages",
                    models.CharField(
                        blank=True,
                        help_text="codes such as zh, en; empty for any",
                        max_length=60,
                        validators=[topics.rules.validators.validate_languages],
                        verbose_name="languages",
                    ),
                ),
                (
                    "queries",
                    models.TextField(
                        blank=True,
                        help_text="one search query per line; a search engine turns them into seeds",
                        validators=[topics.rules.validators.validate_queries],
                        verbose_name="seed queries",
                    ),
                ),
                (
                    "seeds",
                    models.TextField(
                        blank=True,
                        help_text="one http or https URL per line",
                        validators=[topics.rules.validators.validate_seeds],
                        verbose_name="seed URLs",
                    ),
                ),
                ("active", models.BooleanField(default=True, verbose_name="on")),
                (
                    "schedule_kind",
                    models.CharField(
                        choices=[
                            ("hours", "every N hours"),
                            ("daily", "daily"),
                            ("weekly", "weekly"),
                        ],
                        default="hours",
                        max_length=8,
                        verbose_name="schedule",
                    ),
                ),
                (
                    "every_hours",
                    models.PositiveIntegerField(
                        default=24,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(744),
                        ],
                        verbose_name="hours between runs",
                    ),
                ),
                (
                    "at",
                    models.TimeField(
                        blank=True,
                        help_text="local time, for example 08:00",
                        null=True,
                        verbose_name="at",
                    ),
                ),
                (
                    "weekdays",
                    models.CharField(
                        blank=True,
                        help_text="for example mon, thu",
                        max_length=40,
                        validators=[topics.rules.validators.validate_weekdays],
                        verbose_name="on days",
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        default="UTC",
                        help_text="for example Asia/Shanghai",
                        max_length=60,
                        validators=[topics.rules.validators.validate_zone],
                        verbose_name="time zone",
                    ),
                ),
                (
                    "next_run",
                    models.DateTimeField(
                        blank=True, editable=False, null=True, verbose_name="next run"
                    ),
                ),
                (
                    "n_pages",
                    models.PositiveIntegerField(
                        default=200,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100000),
                        ],
                        verbose_name="pages per run",
                    ),
                ),
                (
                    "max_depth_hops",
                    models.PositiveIntegerField(
                        default=30,
                        help_text="maximum number of clicks from a seed",
                        validators=[django.core.validators.MaxValueValidator(50)],
                        verbose_name="depth",
                    ),
                ),
                (
                    "link_weight",
                    models.FloatField(
                        default=0.3,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="weight of links",
                    ),
                ),
                (
                    "content_weight",
                    models.FloatField(
                        default=0.7,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="weight of content",
                    ),
                ),
                (
                    "threshold",
                    models.FloatField(
                        default=0.5,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="relevance threshold",
                    ),
                ),
                (
                    "fresh_days",
                    models.PositiveIntegerField(
                        default=30,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(3650),
                        ],
                        verbose_name="days that a page counts as new",
                    ),
                ),
                (
                    "strategy",
                    models.CharField(default="focus", max_length=40, verbose_name="crawl strategy"),
                ),
                (
                    "judge",
                    models.CharField(
                        default="focus", max_length=40, verbose_name="relevance judge"
                    ),
                ),
                (
                    "strategy_parameters",
                    models.JSONField(blank=True, default=dict, verbose_name="strategy settings"),
                ),
                (
                    "judge_parameters",
                    models.JSONField(blank=True, default=dict, verbose_name="judge settings"),
                ),
                (
                    "breadth",
                    models.CharField(
                        choices=[
                            ("wide", "wide: few pages from each site"),
                            ("balanced", "balanced"),
                            ("deep", "deep: follow each site to the end"),
                        ],
                        default="balanced",
                        help_text="how much of a run one site may use",
                        max_length=8,
                        verbose_name="breadth",
                    ),
                ),
                (
                    "link_value",
                    models.CharField(
                        choices=[("all", "all links"), ("recent", "links of the last 30 days")],
                        default="all",
                        max_length=8,
                        verbose_name="links that count",
                    ),
                ),
                (
                    "alert_score",
                    models.FloatField(
                        blank=True,
                        help_text="new pages with at least this score raise an alert; empty for none",
                        null=True,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="alert threshold",
                    ),
                ),
                ("alerts_from", models.DateTimeField(editable=False, null=True)),
                (
                    "sample",
                    models.BooleanField(default=False, editable=False, verbose_name="sample"),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "crawl",
                    models.OneToOneField(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="topic",
                        to="crawler.crawl",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="topics",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "ranker",
                    models.CharField(
                        default="absolute",
                        help_text="how the content part of the score is calculated",
                        max_length=40,
                        verbose_name="ranking",
                    ),
                ),
                ("questions_over", models.BooleanField(default=False, editable=False)),
                ("questions_sought", models.DateTimeField(editable=False, null=True)),
                (
                    "link_scale",
                    models.FloatField(
                        default=3.0,
                        help_text="so many linking sites give a link value of one half; the paper has 1",
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.1),
                            django.core.validators.MaxValueValidator(1000.0),
                        ],
                        verbose_name="scale of the link value",
                    ),
                ),
                (
                    "half_life_days",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text=(
                            "days in which the score of a new page counts half in the list; 0 to leave age "
                            "out; empty for a fifteenth of the days that a page counts as new"
                        ),
                        null=True,
                        validators=[django.core.validators.MaxValueValidator(3650)],
                        verbose_name="half-life of new pages",
                    ),
                ),
                (
                    "searches",
                    models.TextField(
                        blank=True,
                        help_text=(
                            "one per line: the name of a search provider, or a search URL with {searchTerms} "
                            "in place of the words; each is sent the seed queries"
                        ),
                        validators=[topics.rules.validators.validate_searches],
                        verbose_name="search providers",
                    ),
                ),
                ("plugin_settings", models.JSONField(blank=True, default=dict, editable=False)),
            ],
            options={
                "verbose_name": "topic",
                "verbose_name_plural": "topics",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "slug"), name="one_topic_per_short_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Thumb",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "value",
                    models.SmallIntegerField(choices=[(1, "relevant"), (-1, "not relevant")]),
                ),
                ("created", models.DateTimeField()),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="thumbs",
                        to="crawler.url",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="thumbs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="thumbs",
                        to="topics.topic",
                    ),
                ),
                ("answers", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "topic", "url"), name="one_thumb_per_page"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SwitchedOffTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=500)),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="switched_off",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("topic", "text"), name="one_row_per_switched_off"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SiteControl",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("raise", "raise"),
                            ("lower", "lower"),
                            ("pin", "pin: check first in every run"),
                            ("block", "block"),
                        ],
                        max_length=8,
                        verbose_name="rule",
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="controls",
                        to="crawler.site",
                        verbose_name="site",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sites",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "site rule",
                "verbose_name_plural": "site rules",
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "site"), name="one_rule_per_site")
                ],
            },
        ),
        migrations.CreateModel(
            name="ExamplePage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("good", models.BooleanField(default=True, verbose_name="relevant")),
                ("url", models.TextField(blank=True, verbose_name="URL")),
                ("text", models.TextField(blank=True, verbose_name="text")),
                ("title", models.CharField(blank=True, max_length=300, verbose_name="title")),
                ("packed_terms", models.BinaryField(default=b"")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting to be fetched"),
                            ("read", "read"),
                            ("failed", "could not be fetched"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=24)),
                ("created", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="examples",
                        to="topics.topic",
                    ),
                ),
                ("reader_version", models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                "verbose_name": "example page",
                "verbose_name_plural": "example pages",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="AttachedConcept",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "concept",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attached_to",
                        to="crawler.concept",
                        verbose_name="concept",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="concepts",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "attached concept",
                "verbose_name_plural": "attached concepts",
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "concept"), name="one_row_per_concept")
                ],
            },
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("score", models.FloatField(verbose_name="score")),
                ("needed", models.FloatField(verbose_name="threshold")),
                (
                    "state",
                    models.CharField(
                        choices=[("new", "new"), ("seen", "seen")],
                        default="new",
                        max_length=4,
                        verbose_name="status",
                    ),
                ),
                ("fired", models.DateTimeField(verbose_name="raised at")),
                (
                    "harvest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alerts",
                        to="crawler.harvest",
                        verbose_name="page",
                    ),
                ),
                (
                    "story",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crawler.story",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alerts",
                        to="topics.topic",
                        verbose_name="topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert",
                "verbose_name_plural": "alerts",
                "ordering": ["-fired", "-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "harvest"), name="one_alert_per_page"),
                    models.UniqueConstraint(fields=("topic", "story"), name="one_alert_per_story"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TopicTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=80, verbose_name="term")),
                (
                    "weight",
                    models.FloatField(
                        default=1.0,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.01),
                            django.core.validators.MaxValueValidator(10.0),
                        ],
                        verbose_name="weight",
                    ),
                ),
                ("required", models.BooleanField(default=False, verbose_name="required")),
                ("excluded", models.BooleanField(default=False, verbose_name="excluded")),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "term",
                "verbose_name_plural": "terms",
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "text"), name="one_row_per_term")
                ],
            },
        ),
        migrations.CreateModel(
            name="AddressProof",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("asked", models.DateTimeField()),
                ("confirmed", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="address_proofs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(fields=["user", "asked"], name="topics_addr_user_id_a8c9e5_idx"),
                    models.Index(fields=["email", "asked"], name="topics_addr_email_25994b_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="OntologyNotice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("changed", "Changed"),
                            ("deleted", "Deleted"),
                            ("hidden", "Hidden"),
                        ],
                        max_length=8,
                    ),
                ),
                ("lost", models.JSONField(default=list)),
                ("changed", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ontology_notices",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["-changed", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("topic", "title", "what"), name="one_notice_per_ontology"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("view", models.CharField(max_length=100, verbose_name="page")),
                ("directive", models.CharField(max_length=100, verbose_name="policy rule")),
                ("blocked", models.CharField(max_length=200, verbose_name="blocked source")),
                ("n", models.PositiveIntegerField(default=1, verbose_name="number of reports")),
                ("first_seen", models.DateTimeField(verbose_name="first seen")),
                ("last_seen", models.DateTimeField(db_index=True, verbose_name="last seen")),
            ],
            options={
                "verbose_name": "content policy report",
                "verbose_name_plural": "content policy reports",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("view", "directive", "blocked"), name="one_row_for_a_kind_of_report"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Question",
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
                            ("open", "Open"),
                            ("answered", "Answered"),
                            ("skipped", "Skipped"),
                        ],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("created", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="questions",
                        to="topics.topic",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.url",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "url"), name="one_question_per_page")
                ],
            },
        ),
        migrations.CreateModel(
            name="Reading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read", models.DateTimeField(blank=True, null=True)),
                ("starred", models.DateTimeField(blank=True, null=True)),
                (
                    "hidden",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("dull", "not interesting"),
                            ("seen", "known from elsewhere"),
                            ("old", "out of date"),
                            ("poor", "poor quality"),
                        ],
                        max_length=8,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("changed", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="topics.topic",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="crawler.url",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["topic", "user", "changed"], name="topics_read_topic_i_248937_idx"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "topic", "url"), name="one_reading_per_page"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReadingTag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "reading",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tags",
                        to="topics.reading",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(fields=("reading", "name"), name="one_row_per_tag")
                ],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("latest", models.DateTimeField()),
                ("before", models.DateTimeField(null=True)),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to="topics.topic",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "topic"), name="one_visit_per_topic")
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("query", models.CharField(max_length=256)),
                ("order", models.CharField(default="relevance", max_length=12)),
                ("without", models.JSONField(default=list)),
                ("on_home", models.BooleanField(default=True)),
                ("created", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_searches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_searches",
                        to="topics.topic",
                    ),
                ),
                ("counted", models.DateTimeField(null=True)),
                ("n_found", models.PositiveIntegerField(null=True)),
            ],
            options={
                "ordering": ["name", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "name"), name="one_saved_search_per_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Digest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("active", models.BooleanField(default=True, verbose_name="send this digest")),
                (
                    "frequency",
                    models.CharField(
                        choices=[("daily", "daily"), ("weekly", "weekly")],
                        default="daily",
                        max_length=8,
                        verbose_name="sent",
                    ),
                ),
                (
                    "at",
                    models.TimeField(help_text="local time, for example 08:00", verbose_name="at"),
                ),
                (
                    "weekdays",
                    models.CharField(
                        blank=True,
                        help_text="for example mon, thu",
                        max_length=40,
                        validators=[topics.rules.validators.validate_weekdays],
                        verbose_name="on days",
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        default="UTC",
                        help_text="for example Asia/Shanghai",
                        max_length=60,
                        validators=[topics.rules.validators.validate_zone],
                        verbose_name="time zone",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("zh-hans", "简体中文")],
                        default="en",
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                (
                    "max_items",
                    models.PositiveIntegerField(
                        default=20,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(50),
                        ],
                        verbose_name="maximum pages",
                    ),
                ),
                (
                    "skip_empty",
                    models.BooleanField(
                        default=True, verbose_name="do not send when there is nothing new"
                    ),
                ),
                ("covered_until", models.DateTimeField(editable=False, verbose_name="covers from")),
                (
                    "next_due",
                    models.DateTimeField(db_index=True, editable=False, verbose_name="next"),
                ),
                (
                    "topic",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="digest",
                        to="topics.topic",
                        verbose_name="topic",
                    ),
                ),
                (
                    "also_at",
                    models.CharField(
                        blank=True,
                        help_text="further times of the same days, for example 12:30, 18:00",
                        max_length=80,
                        validators=[topics.rules.validators.validate_times],
                        verbose_name="also at",
                    ),
                ),
                (
                    "also_topics",
                    models.ManyToManyField(
                        blank=True,
                        related_name="digests_besides",
                        to="topics.topic",
                        verbose_name="also these topics",
                    ),
                ),
                (
                    "searches",
                    models.ManyToManyField(
                        blank=True,
                        related_name="digests",
                        to="topics.savedsearch",
                        verbose_name="also these saved searches",
                    ),
                ),
                (
                    "besides",
                    models.CharField(
                        blank=True,
                        default="changes, alerts, terms, quiet",
                        max_length=60,
                        validators=[topics.rules.validators.validate_parts],
                        verbose_name="also in the mail",
                    ),
                ),
                (
                    "min_items",
                    models.PositiveIntegerField(
                        default=1,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(50),
                        ],
                        verbose_name="minimum pages",
                    ),
                ),
                (
                    "paused_until",
                    models.DateField(
                        blank=True,
                        help_text="the day on which mails come again",
                        null=True,
                        verbose_name="pause until",
                    ),
                ),
            ],
            options={
                "verbose_name": "digest",
                "verbose_name_plural": "digests",
            },
        ),
        migrations.CreateModel(
            name="DigestIssue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("local_date", models.DateField(verbose_name="day")),
                ("slot", models.TimeField(verbose_name="at")),
                ("covers_from", models.DateTimeField(verbose_name="covers from")),
                ("covers_until", models.DateTimeField(verbose_name="covers until")),
                ("n_more", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("frozen", "selected"),
                            ("rendered", "written"),
                            ("sending", "being sent"),
                            ("sent", "sent"),
                            ("filed", "kept as a file"),
                            ("empty", "nothing new, not sent"),
                            ("held", "too few pages, kept for the next issue"),
                            ("failed", "failed"),
                            ("uncertain", "may have been sent"),
                            ("merged", "not sent in time, included in the next issue"),
                        ],
                        default="frozen",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("recipient", models.EmailField(blank=True, max_length=254, verbose_name="to")),
                ("subject", models.CharField(blank=True, max_length=300, verbose_name="subject")),
                (
                    "message_id",
                    models.CharField(blank=True, max_length=200, verbose_name="Message-ID"),
                ),
                ("message", models.BinaryField(default=b"")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                (
                    "not_before",
                    models.DateTimeField(blank=True, null=True, verbose_name="next attempt"),
                ),
                ("held_by", models.CharField(blank=True, default="", max_length=120)),
                ("held_until", models.DateTimeField(blank=True, null=True)),
                ("asked_again", models.BooleanField(default=False)),
                ("problem", models.CharField(blank=True, max_length=500, verbose_name="problem")),
                ("created", models.DateTimeField(verbose_name="made")),
                ("ended", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                (
                    "digest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="issues",
                        to="topics.digest",
                        verbose_name="digest",
                    ),
                ),
                ("n_of_full_sites", models.PositiveIntegerField(db_default=0, default=0)),
                ("besides", models.JSONField(default=list)),
            ],
            options={
                "verbose_name": "digest issue",
                "verbose_name_plural": "digest issues",
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("digest", "local_date", "slot"), name="one_issue_per_slot"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DigestItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("shown", models.JSONField(default=dict)),
                (
                    "issue",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="topics.digestissue",
                    ),
                ),
                (
                    "story",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="crawler.story",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.url",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("issue", "url"), name="one_item_per_page")
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="e-mail address"),
                ),
                ("created", models.DateTimeField()),
                ("expires", models.DateTimeField()),
                ("used", models.DateTimeField(null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("en", "English"),
                            ("zh-hans", "Simplified Chinese"),
                            ("zh-hant", "Traditional Chinese"),
                        ],
                        max_length=12,
                        verbose_name="language",
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        blank=True,
                        max_length=60,
                        validators=[topics.rules.validators.validate_zone],
                        verbose_name="time zone",
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="preferences",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("began", models.DateTimeField()),
                ("seen", models.DateTimeField()),
                ("browser", models.CharField(blank=True, max_length=60)),
                ("address", models.CharField(blank=True, max_length=64)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-seen"],
            },
        ),
        migrations.CreateModel(
            name="ResetRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address_hash", models.CharField(max_length=64)),
                ("place", models.CharField(max_length=64)),
                ("asked", models.DateTimeField()),
                ("language", models.CharField(default="en", max_length=12)),
                ("sent", models.DateTimeField(null=True)),
                ("problem", models.CharField(blank=True, max_length=300)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["address_hash", "asked"], name="topics_rese_address_961599_idx"
                    ),
                    models.Index(fields=["place", "asked"], name="topics_rese_place_7c3bad_idx"),
                    models.Index(
                        condition=models.Q(("sent", None)), fields=["asked"], name="resets_waiting"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TopicReader",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readers",
                        to="topics.topic",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_topics",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["user__username"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "user"), name="one_row_per_reader")
                ],
            },
        ),
        migrations.CreateModel(
            name="Channel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=40, verbose_name="kind")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("target", models.CharField(max_length=1000, verbose_name="address")),
                ("secret", models.CharField(blank=True, default="", max_length=80)),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("zh-hans", "简体中文")],
                        default="en",
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                ("active", models.BooleanField(default=True, verbose_name="on")),
                ("asked", models.DateTimeField(blank=True, null=True)),
                ("confirmed", models.DateTimeField(blank=True, null=True)),
                ("stopped", models.DateTimeField(blank=True, null=True)),
                ("created", models.DateTimeField()),
                (
                    "digests",
                    models.ManyToManyField(blank=True, related_name="channels", to="topics.digest"),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channels",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "channel",
                "verbose_name_plural": "channels",
                "ordering": ["name", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "kind", "target"), name="one_channel_per_target"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AlertRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("active", models.BooleanField(default=True, verbose_name="on")),
                (
                    "min_score",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            topics.rules.validators.validate_finite,
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="score at least",
                    ),
                ),
                ("term", models.CharField(blank=True, max_length=80, verbose_name="contains")),
                (
                    "site",
                    models.CharField(
                        blank=True, max_length=1000, verbose_name="on one of these sites"
                    ),
                ),
                ("new_site", models.BooleanField(default=False, verbose_name="on a new site")),
                ("language", models.CharField(blank=True, max_length=12, verbose_name="language")),
                (
                    "rate",
                    models.CharField(
                        choices=[
                            ("immediate", "immediately"),
                            ("hourly", "at most once an hour"),
                            ("capped", "immediately, but at most so many messages a day"),
                        ],
                        default="immediate",
                        max_length=10,
                        verbose_name="how often",
                    ),
                ),
                (
                    "max_per_day",
                    models.PositiveIntegerField(
                        default=5,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(200),
                        ],
                        verbose_name="messages a day",
                    ),
                ),
                ("quiet_from", models.TimeField(blank=True, null=True, verbose_name="quiet from")),
                (
                    "quiet_until",
                    models.TimeField(blank=True, null=True, verbose_name="quiet until"),
                ),
                (
                    "zone",
                    models.CharField(
                        default="UTC",
                        max_length=60,
                        validators=[topics.rules.validators.validate_zone],
                        verbose_name="time zone",
                    ),
                ),
                ("begins", models.DateTimeField(editable=False)),
                ("created", models.DateTimeField(editable=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alert_rules",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "search",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alert_rules",
                        to="topics.savedsearch",
                        verbose_name="saved search",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alert_rules",
                        to="topics.topic",
                        verbose_name="topic",
                    ),
                ),
                (
                    "channels",
                    models.ManyToManyField(
                        blank=True,
                        related_name="alert_rules",
                        to="topics.channel",
                        verbose_name="send to",
                    ),
                ),
                (
                    "after_days",
                    models.PositiveSmallIntegerField(
                        default=7,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(90),
                        ],
                        verbose_name="after days",
                    ),
                ),
                (
                    "min_sites",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(2),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="reported by sites",
                    ),
                ),
                ("muted_until", models.DateTimeField(editable=False, null=True)),
                (
                    "not_site",
                    models.CharField(
                        blank=True, max_length=1000, verbose_name="not on these sites"
                    ),
                ),
                (
                    "query",
                    models.CharField(blank=True, max_length=256, verbose_name="search conditions"),
                ),
                (
                    "watches",
                    models.CharField(
                        choices=[
                            ("pages", "a new page that fits"),
                            ("changes", "a change of a starred page or a seed"),
                            ("spike", "many more new pages than usual"),
                            ("silence", "no new page for some days"),
                            ("trouble", "no source could be visited for some days"),
                        ],
                        default="pages",
                        max_length=10,
                        verbose_name="what is an alert",
                    ),
                ),
                (
                    "within_hours",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(168),
                        ],
                        verbose_name="published within hours",
                    ),
                ),
            ],
            options={
                "verbose_name": "alert rule",
                "verbose_name_plural": "alert rules",
                "ordering": ["name", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="one_rule_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
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
                            ("frozen", "selected"),
                            ("rendered", "written"),
                            ("sending", "being sent"),
                            ("sent", "sent"),
                            ("filed", "kept as a file"),
                            ("empty", "nothing new, not sent"),
                            ("held", "too few pages, kept for the next issue"),
                            ("failed", "failed"),
                            ("uncertain", "may have been sent"),
                            ("merged", "not sent in time, included in the next issue"),
                        ],
                        default="frozen",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                ("message", models.BinaryField(default=b"")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                (
                    "not_before",
                    models.DateTimeField(blank=True, null=True, verbose_name="next attempt"),
                ),
                ("held_by", models.CharField(blank=True, default="", max_length=120)),
                ("held_until", models.DateTimeField(blank=True, null=True)),
                ("problem", models.CharField(blank=True, max_length=500, verbose_name="problem")),
                ("created", models.DateTimeField(verbose_name="made")),
                ("ended", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("key", models.CharField(max_length=120, unique=True)),
                ("subject", models.CharField(max_length=300, verbose_name="subject")),
                ("log", models.JSONField(default=list)),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="topics.channel",
                    ),
                ),
                (
                    "issue",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="copies",
                        to="topics.digestissue",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="deliveries",
                        to="topics.alertrule",
                    ),
                ),
            ],
            options={
                "verbose_name": "delivery",
                "verbose_name_plural": "deliveries",
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["rendered", "sending"])),
                        fields=["not_before"],
                        name="deliveries_to_send",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AlertMatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("values", models.JSONField(default=dict)),
                ("matched", models.DateTimeField()),
                (
                    "alert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="topics.alert",
                    ),
                ),
                (
                    "harvest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.harvest",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="topics.alertrule",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("rule", "alert"), name="one_match_per_story")
                ],
            },
        ),
        migrations.CreateModel(
            name="Tour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("put_away", models.BooleanField(default=False)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tour",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TopicFigures",
            fields=[
                (
                    "topic",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="figures",
                        serialize=False,
                        to="topics.topic",
                    ),
                ),
                ("counted", models.DateTimeField()),
                ("state", models.CharField(blank=True, max_length=80)),
                ("n_news", models.PositiveIntegerField(default=0)),
                ("n_known", models.PositiveIntegerField(default=0)),
                (
                    "n_outdated",
                    models.PositiveIntegerField(
                        default=0, help_text="pages stored before articles were extracted"
                    ),
                ),
                (
                    "n_failing",
                    models.PositiveIntegerField(default=0, help_text="sources that fail"),
                ),
                (
                    "seeds_since",
                    models.DateTimeField(help_text="since then no seed responds", null=True),
                ),
                ("best_known", models.JSONField(default=list)),
                (
                    "farms",
                    models.JSONField(default=list, help_text="domains with keyword stuffing"),
                ),
                (
                    "news",
                    models.JSONField(
                        default=list, help_text="rows of `topics.pages.listing.stored_news`"
                    ),
                ),
                (
                    "quotes",
                    models.JSONField(
                        default=dict,
                        help_text="of the news listed first; `topics.pages.extracts.stored_quotes`",
                    ),
                ),
                (
                    "lacks_words",
                    models.BooleanField(
                        default=False, help_text="no fetched page contains a word of the topic"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("scopes", models.JSONField(default=list)),
                ("created", models.DateTimeField()),
                ("used", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="ApiAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=100)),
                ("request_digest", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("body", models.JSONField()),
                ("created", models.DateTimeField()),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="topics.apitoken",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("token", "key"), name="one_answer_per_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Newspaper",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        error_messages={"unique": "This address is taken. Choose another one."},
                        max_length=60,
                        unique=True,
                        validators=[django.core.validators.MinLengthValidator(3)],
                        verbose_name="address",
                    ),
                ),
                (
                    "indexed",
                    models.BooleanField(default=False, verbose_name="search engines may list it"),
                ),
                ("created", models.DateTimeField()),
                (
                    "topic",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="newspaper",
                        to="topics.topic",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Feed",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(blank=True, default="", max_length=64)),
                ("nonce", models.CharField(blank=True, default="", max_length=64)),
                ("language", models.CharField(default="en", max_length=8)),
                ("created", models.DateTimeField()),
                ("used", models.DateTimeField(null=True)),
                ("looked", models.DateTimeField(null=True)),
                ("content_digest", models.CharField(blank=True, default="", max_length=64)),
                ("changed", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feeds",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rule",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed",
                        to="topics.alertrule",
                    ),
                ),
                (
                    "search",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed",
                        to="topics.savedsearch",
                    ),
                ),
                (
                    "topic",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed",
                        to="topics.topic",
                    ),
                ),
                (
                    "newspaper",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed",
                        to="topics.newspaper",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("digest", ""), _negated=True),
                        fields=("digest",),
                        name="one_feed_per_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("newspaper", None),
                                ("rule", None),
                                ("search", None),
                                ("topic__isnull", False),
                            ),
                            models.Q(
                                ("newspaper", None),
                                ("rule", None),
                                ("search__isnull", False),
                                ("topic", None),
                            ),
                            models.Q(
                                ("newspaper", None),
                                ("rule__isnull", False),
                                ("search", None),
                                ("topic", None),
                            ),
                            models.Q(
                                ("newspaper__isnull", False),
                                ("rule", None),
                                ("search", None),
                                ("topic", None),
                            ),
                            _connector="OR",
                        ),
                        name="feed_of_one_thing",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FeedItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("added", models.DateTimeField()),
                ("dropped", models.BooleanField(default=False)),
                (
                    "feed",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="topics.feed",
                    ),
                ),
                (
                    "harvest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.harvest",
                    ),
                ),
                (
                    "story",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.story",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("feed", "harvest"), name="one_feed_item_per_page"
                    ),
                    models.UniqueConstraint(
                        fields=("feed", "story"), name="one_feed_item_per_story"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PageChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_seed", models.BooleanField(default=False)),
                ("found", models.DateTimeField()),
                ("packed_before", models.BinaryField()),
                ("packed_after", models.BinaryField()),
                ("summary", models.JSONField(default=list)),
                ("n_inserted", models.PositiveIntegerField()),
                ("n_deleted", models.PositiveIntegerField()),
                ("read_by", models.ManyToManyField(related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="topics.topic",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.url",
                    ),
                ),
            ],
            options={
                "ordering": ["-found", "-pk"],
                "indexes": [
                    models.Index(fields=["topic", "-found"], name="topics_page_topic_i_868ec7_idx")
                ],
            },
        ),
        migrations.CreateModel(
            name="WatchedPage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_seed", models.BooleanField(default=False)),
                ("packed_text", models.BinaryField(default=b"")),
                ("content_hash", models.CharField(max_length=32)),
                ("reader_version", models.PositiveSmallIntegerField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="watched_pages",
                        to="topics.topic",
                    ),
                ),
                (
                    "url",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="crawler.url",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "url"), name="one_watch_per_page")
                ],
            },
        ),
        migrations.CreateModel(
            name="RuleEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=80)),
                ("kind", models.CharField(max_length=10)),
                ("facts", models.JSONField(default=dict)),
                ("happened", models.DateTimeField()),
                ("fired", models.DateTimeField()),
                ("seen", models.BooleanField(default=False)),
                (
                    "change",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="topics.pagechange",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="topics.alertrule",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rule_events",
                        to="topics.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["-fired", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rule", "key"), name="one_event_per_rule_and_key"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("dropped", models.BooleanField(default=False)),
                ("created", models.DateTimeField()),
                (
                    "alert",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="topics.alert",
                    ),
                ),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="topics.channel",
                    ),
                ),
                (
                    "delivery",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="topics.delivery",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="topics.alertrule",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="topics.ruleevent",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("delivery", None), ("dropped", False)),
                        fields=["rule"],
                        name="notices_that_wait",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("channel", "alert"), name="one_notice_per_alert"
                    ),
                    models.UniqueConstraint(
                        fields=("channel", "event"), name="one_notice_per_event"
                    ),
                ],
            },
        ),
    ]
