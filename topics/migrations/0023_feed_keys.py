from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("topics", "0022_feeds")]

    operations = [
        migrations.RemoveConstraint(model_name="savedsearch", name="one_search_per_key"),
        migrations.RemoveField(model_name="savedsearch", name="feed_key"),
    ]
