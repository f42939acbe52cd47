"""Topics with the former default scale of the link value, 3, get the new one, 5."""

import django.core.validators
import topics.rules.validators
from django.db import migrations, models


BEFORE, NOW = 3.0, 5.0


def take_over(apps, schema_editor):
    """Another scale stays; the stored pages are scored again as soon as the product runs."""
    apps.get_model("topics", "Topic").objects.filter(link_scale=BEFORE).update(link_scale=NOW)
    crawls = apps.get_model("crawler", "Crawl").objects
    for crawl in crawls.filter(settings_json__link_scale=BEFORE):
        crawl.settings_json["link_scale"] = NOW
        crawl.version += 1
        crawl.save(update_fields=["settings_json", "version"])


class Migration(migrations.Migration):
    dependencies = [
        ("topics", "0030_words_that_no_page_has"),
    ]

    operations = [
        migrations.AlterField(
            model_name="topic",
            name="link_scale",
            field=models.FloatField(
                default=5.0,
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
