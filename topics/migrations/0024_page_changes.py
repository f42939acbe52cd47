import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("crawler", "0028_news_by_date"),
        ("topics", "0023_feed_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
    ]
