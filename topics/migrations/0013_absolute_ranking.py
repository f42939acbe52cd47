"""Topics ranked by the former default, percentiles, are ranked by absolute values."""

import django.core.validators
import topics.rules.validators
from django.db import migrations, models


BEFORE = {"ranker": "standing", "link_weight": 0.4, "content_weight": 0.6}
NOW = {"ranker": "absolute", "link_weight": 0.3, "content_weight": 0.7}


def take_over(apps, schema_editor):
    """What a person set stays; the stored pages are scored again as soon as the product runs."""
    topics = apps.get_model("topics", "Topic").objects
    topics.filter(link_scale=2.0).update(link_scale=3.0)
    topics.filter(**BEFORE).update(**NOW)
    topics.filter(ranker="standing").update(ranker="absolute")
    for crawl in apps.get_model("crawler", "Crawl").objects.all():
        settings = crawl.settings_json
        if settings.get("ranker", "standing") != "standing":
            continue
        usual = all(settings.get(name, value) == value for name, value in BEFORE.items())
        settings |= NOW if usual else {"ranker": "absolute"}
        settings.pop("link_scale", None)
        crawl.version += 1
        crawl.save(update_fields=["settings_json", "version"])


class Migration(migrations.Migration):
    dependencies = [
        ("topics", "0012_reading"),
        ("crawler", "0023_plain_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="topic",
            name="half_life_days",
            field=models.PositiveIntegerField(
                blank=True,
                help_text=(
                    "days in which the score of a new page counts half in the list; "
                    "0 to leave age out; empty for a fifteenth of the days that a page counts as new"
                ),
                null=True,
                validators=[django.core.validators.MaxValueValidator(3650)],
                verbose_name="half-life of new pages",
            ),
        ),
        migrations.AlterField(
            model_name="topic",
            name="content_weight",
            field=models.FloatField(
                default=0.7,
                validators=[
                    topics.rules.validators.validate_finite,
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
                verbose_name="weight of content",
            ),
        ),
        migrations.AlterField(
            model_name="topic",
            name="link_scale",
            field=models.FloatField(
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
        migrations.AlterField(
            model_name="topic",
            name="link_weight",
            field=models.FloatField(
                default=0.3,
                validators=[
                    topics.rules.validators.validate_finite,
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
                verbose_name="weight of links",
            ),
        ),
        migrations.AlterField(
            model_name="topic",
            name="ranker",
            field=models.CharField(
                default="absolute",
                help_text="how the content part of the score is calculated",
                max_length=40,
                verbose_name="ranking",
            ),
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop, elidable=True),
    ]
