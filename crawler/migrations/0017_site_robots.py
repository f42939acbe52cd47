import brotli
import django.db.models.deletion
from django.db import migrations, models


def pack(apps, schema_editor):
    site_robots = apps.get_model("crawler", "SiteRobots")
    ruled = apps.get_model("crawler", "Site").objects.exclude(robots="")
    for number, text in ruled.values_list("pk", "robots").iterator(chunk_size=50):
        packed = brotli.compress(text.encode(), quality=1)
        site_robots.objects.create(site_id=number, packed=packed)


def unpack(apps, schema_editor):
    site = apps.get_model("crawler", "Site")
    packed = apps.get_model("crawler", "SiteRobots").objects.values_list("pk", "packed")
    for number, rules in packed.iterator(chunk_size=50):
        text = brotli.decompress(bytes(rules)).decode() if rules else ""
        site.objects.filter(pk=number).update(robots=text)


class Migration(migrations.Migration):
    dependencies = [
        ("crawler", "0016_articles"),
    ]

    operations = [
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
        migrations.RunPython(pack, unpack, elidable=True),
        migrations.RemoveField(model_name="site", name="robots"),
    ]
