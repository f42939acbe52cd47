import hashlib

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def keep_addresses(apps, schema_editor):
    """Let the feeds of saved searches go on under the addresses that their readers have."""
    feeds, searches = apps.get_model("topics", "Feed"), apps.get_model("topics", "SavedSearch")
    feeds.objects.bulk_create(
        feeds(
            owner_id=one.owner_id,
            search=one,
            # The address can be read, but not shown again: only its digest is stored from now on.
            digest=hashlib.sha256(one.feed_key.encode()).hexdigest(),
            created=one.created,
        )
        for one in searches.objects.exclude(feed_key="")
    )


class Migration(migrations.Migration):
    dependencies = [
        ("crawler", "0028_news_by_date"),
        ("topics", "0021_api_tokens"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
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
            ],
            options={
                "ordering": ["-pk"],
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
            ],
        ),
        migrations.AddField(
            model_name="feed",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="feeds",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="feed",
            name="rule",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="feed",
                to="topics.alertrule",
            ),
        ),
        migrations.AddField(
            model_name="feed",
            name="search",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="feed",
                to="topics.savedsearch",
            ),
        ),
        migrations.AddField(
            model_name="feed",
            name="topic",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="feed",
                to="topics.topic",
            ),
        ),
        migrations.AddField(
            model_name="feeditem",
            name="feed",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="items", to="topics.feed"
            ),
        ),
        migrations.AddField(
            model_name="feeditem",
            name="harvest",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="crawler.harvest"
            ),
        ),
        migrations.AddField(
            model_name="feeditem",
            name="story",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="crawler.story"
            ),
        ),
        migrations.AddField(
            model_name="newspaper",
            name="topic",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="newspaper",
                to="topics.topic",
            ),
        ),
        migrations.AddField(
            model_name="feed",
            name="newspaper",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="feed",
                to="topics.newspaper",
            ),
        ),
        migrations.AddConstraint(
            model_name="feeditem",
            constraint=models.UniqueConstraint(
                fields=("feed", "harvest"), name="one_feed_item_per_page"
            ),
        ),
        migrations.AddConstraint(
            model_name="feeditem",
            constraint=models.UniqueConstraint(
                fields=("feed", "story"), name="one_feed_item_per_story"
            ),
        ),
        migrations.AddConstraint(
            model_name="feed",
            constraint=models.UniqueConstraint(
                condition=models.Q(("digest", ""), _negated=True),
                fields=("digest",),
                name="one_feed_per_address",
            ),
        ),
        migrations.AddConstraint(
            model_name="feed",
            constraint=models.CheckConstraint(
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
        ),
        migrations.RunPython(keep_addresses, migrations.RunPython.noop, elidable=True),
    ]
