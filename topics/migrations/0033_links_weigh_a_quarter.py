"""Topics with the former weights and scale of links, .3, .7 and 5, get the new ones."""

import django.core.validators
import topics.rules.validators
from django.db import migrations, models


BEFORE = {"link_weight": 0.3, "content_weight": 0.7, "link_scale": 5.0}
NOW = {"link_weight": 0.25, "content_weight": 0.75, "link_scale": 1.0}


def take_over(apps, schema_editor):
    """What a person set stays; the stored pages are scored again as soon as the product runs."""
    apps.get_model("topics", "Topic").objects.filter(**BEFORE).update(**NOW)
    crawls = apps.get_model("crawler", "Crawl").objects
    for crawl in crawls.filter(**{f"settings_json__{name}": old for name, old in BEFORE.items()}):
        crawl.settings_json |= NOW
        crawl.version += 1
        crawl.save(update_fields=["settings_json", "version"])


def share(default, name):
    return models.FloatField(
        default=default,
        validators=[
            topics.rules.validators.validate_finite,
            django.core.validators.MinValueValidator(0.0),
            django.core.validators.MaxValueValidator(1.0),
        ],
        verbose_name=name,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("topics", "0032_stopped_issues"),
    ]

    operations = [
        migrations.AlterField("topic", "link_weight", share(0.25, "weight of links")),
        migrations.AlterField("topic", "content_weight", share(0.75, "weight of content")),
        migrations.AlterField(
            model_name="topic",
            name="link_scale",
            field=models.FloatField(
                default=1.0,
                help_text="so many linking sites give a link value of one half; the paper has 1",
                validators=[
                    topics.rules.validators.validate_finite,
                    django.core.validators.MinValueValidator(0.1),
                    django.core.validators.MaxValueValidator(1000.0),
                ],
                verbose_name="scale of the link value",
            ),
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop, elidable=True),
    ]
