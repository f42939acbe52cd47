"""Issues and copies can end with their digest."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("topics", "0031_link_scale_of_five"),
    ]

    operations = [
        migrations.AlterField(
            model_name="delivery",
            name="state",
            field=models.CharField(
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
                    ("stopped", "not sent, as the digest was switched off"),
                ],
                default="frozen",
                max_length=10,
                verbose_name="status",
            ),
        ),
        migrations.AlterField(
            model_name="digestissue",
            name="state",
            field=models.CharField(
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
                    ("stopped", "not sent, as the digest was switched off"),
                ],
                default="frozen",
                max_length=10,
                verbose_name="status",
            ),
        ),
    ]
