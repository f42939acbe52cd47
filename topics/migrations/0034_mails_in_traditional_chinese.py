"""Digests and channels may be in traditional Chinese."""

from django.db import migrations, models


def language():
    return models.CharField(
        choices=[("en", "English"), ("zh-hans", "简体中文"), ("zh-hant", "繁體中文")],
        default="en",
        max_length=8,
        verbose_name="language",
    )


class Migration(migrations.Migration):
    dependencies = [("topics", "0033_links_weigh_a_quarter")]

    operations = [
        migrations.AlterField("channel", "language", language()),
        migrations.AlterField("digest", "language", language()),
    ]
