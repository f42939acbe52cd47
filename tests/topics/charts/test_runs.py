"""Charts of runs: what they kept, where pages were lost, and at which depth."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from crawler.models import FrontierEntry, Harvest, Run
from tests.topics.factories import NOON, Scene
from topics.charts.runs import funnel, last_runs, layers, share_kept_chart
from topics.models import Reading, Thumb


def test_each_run_has_its_share(scene: Scene) -> None:
    scene.run.fetched, scene.run.kept, scene.run.reasons = 10, 4, {"unchanged": 2}
    scene.run.save()
    chart = share_kept_chart(scene.topic, last_runs(scene.topic))
    assert [cell.value for cell in chart.rows[0]][1:] == [10, 4, 0.5, 0.5]
    assert chart.rows[0][2].href == f"/topics/chips/runs/{scene.run.pk}/kept"


def test_a_run_that_read_nothing_has_no_share(scene: Scene) -> None:
    scene.run.fetched = scene.run.kept = 0
    scene.run.save()
    chart = share_kept_chart(scene.topic, last_runs(scene.topic))
    assert chart.rows[0][3].shown == "–"


def test_runs_of_one_day_are_named_by_their_times(scene: Scene) -> None:
    second = Run.objects.create(
        crawl=scene.crawl,
        started=scene.run.started + timedelta(minutes=7),
        ended=NOON,
        n_pages=9,
    )
    runs = [scene.run, second]
    times = [f"{timezone.localtime(run.started):%H:%M}" for run in runs]
    assert all(f">{time}<" in share_kept_chart(scene.topic, runs).drawing for time in times)

    second.started += timedelta(days=1)
    drawing = share_kept_chart(scene.topic, runs).drawing
    day = timezone.localtime(second.started)
    assert f">{day.month}-{day.day}<" in drawing and f">{times[0]}<" not in drawing


def test_the_funnel_counts_each_step(scene: Scene, ann: User) -> None:
    scene.run.fetched, scene.run.reasons = 5, {"fetched": 4, "unchanged": 1, "robots_forbidden": 3}
    scene.run.save()
    kept = Harvest.objects.filter(kept=True)
    Reading.objects.create(user=ann, topic=scene.topic, url=kept[0].url, read=NOON, changed=NOON)
    Thumb.objects.create(user=ann, topic=scene.topic, url=kept[1].url, value=1, created=NOON)
    chart = funnel(scene.topic, scene.run, ann)
    assert [row[1].value for row in chart.rows] == [8, 5, 5, 4, 2, 2, 1, 1]
    assert all(row[1].href for row in chart.rows)


def test_layers_count_pages_by_clicks_from_a_seed(scene: Scene) -> None:
    FrontierEntry.objects.filter(url__url="https://notes.test/cache").update(depth_hops=2)
    chart = layers(scene.topic, scene.run)
    assert [[cell.value for cell in row] for row in chart.rows] == [
        [0, 3, 1, 1 / 3],
        [1, 0, 0, None],
        [2, 1, 1, 1.0],
    ]
    assert chart.rows[2][2].href.endswith("/kept?depth=2")
