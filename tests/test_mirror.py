"""`tests/` mirrors the source: a test module has the name and folder of the module it tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Folders for tests of the whole installation; they mirror nothing.
WHOLE = frozenset({"browser", "crashes", "fixtures", "hosts", "limits"})
#: Tests of a subject that no single module has, and the modules to read first. A name without a
#: dot is a module of the same folder.
SUBJECTS = """
crawler/crawl/test_adapting_judge.py blackboard collector database_blackboard
crawler/crawl/test_bad_input.py worker
crawler/crawl/test_crawl_loop.py blackboard collector manager
crawler/crawl/test_hostile_answers.py worker
crawler/crawl/test_known_page_visits.py database_blackboard manager
crawler/crawl/test_nth_failure.py collector database_blackboard manager
crawler/crawl/test_paper_orders.py blackboard database_blackboard manager
crawler/crawl/test_pdf_pages.py worker
crawler/crawl/test_percentile_scores.py blackboard collector database_blackboard
crawler/crawl/test_planning_reads.py database_blackboard manager
crawler/crawl/test_resumed_strategies.py collector database_blackboard manager
crawler/crawl/test_revisiting.py worker
crawler/crawl/test_robots_directives.py worker
crawler/crawl/test_site_frames.py worker
crawler/crawl/test_stopped_sites.py site_queue worker
crawler/crawl/test_traps_and_copies.py worker
crawler/fetch/test_forbidden_connects.py config door follow
crawler/fetch/test_http_rows.py config door robots
crawler/fetch/test_network_rows.py config deadline door
crawler/fetch/test_pdf_files.py config door
crawler/fetch/test_redirect_rows.py door follow
crawler/fetch/test_tls.py config door
crawler/judging/test_decided_pages.py rescore
crawler/judging/test_new_beats_old.py renewal score crawler.ranking.news_order
crawler/judging/test_sections_of_a_crawl.py context rescore crawler.knowledge.sections
crawler/judging/test_shared_terms_of_a_crawl.py context rescore crawler.knowledge.shared_terms
crawler/judging/test_scorers_of_a_crawl.py context guarded score
crawler/knowledge/ontology/test_demo_ontologies.py expansion matching parsed_ontology
crawler/knowledge/judges/test_judges.py crawler.knowledge.judge crawler.knowledge.profile
crawler/knowledge/judges/test_paper_judges.py adaptive_judge content_judge
crawler/knowledge/ontology/test_rdf_refused.py concepts parsed_ontology rdf
crawler/lab/simulation/test_simulate.py experiment making monitor
crawler/ranking/test_farms.py votes score
crawler/sources/test_empty_lists.py registry
crawler/sources/test_failing_sources.py base pasted
crawler/sources/test_sources.py base feeds pasted
crawler/store/test_moved_pages.py stories
crawler/store/test_news_rule.py crawler.models.crawls
crawler/store/test_old_pages.py baseline
crawler/store/test_page_dates.py dates pages
crawler/store/test_recent_links.py ranked_pages
crawler/store/test_stored_articles.py pages
crawler/store/test_stored_links.py pages
crawler/strategies/test_every_strategy.py base
crawler/strategies/test_papers.py adaptive base fish_search
focusweb/demo/test_living_web.py server web
focusweb/test_hostile_plugins.py hookspecs plugins
focusweb/test_loaded_plugins.py plugins
focusweb/test_style_sheet.py focusweb.web.static_files
tools/test_bench.py bench.run bench.site
tools/test_container.py tools.dev
tools/test_partitions.py bench.partitions
tools/test_regress.py bench.regress
topics/test_hostile_parts.py focusweb.plugins focusweb.part_shapes
topics/test_translations.py reasons
topics/feeds/test_feed_rules.py writing
topics/delivery/test_items.py mime rendering
topics/delivery/test_long_runs.py ledger plan topics.rules.schedule topics.rules.alert_pace
topics/delivery/test_faults.py handover ledger smtp
topics/migrations/test_focus_states.py crawler.migrations
topics/migrations/test_first_owners.py topics.migrations
topics/migrations/test_squashed.py crawler.migrations topics.migrations
topics/migrations/test_upgrade.py topics.migrations
topics/profile/test_changed_topics.py crawl feedback crawler.judging.rescore
topics/profile/test_ontology_rows.py concepts ontologies
topics/profile/test_percentiles.py crawl feedback preview
topics/search/test_commands.py outbox store
topics/search/test_damage.py checksums errors outbox
topics/search/test_engines.py backend document errors
topics/search/test_golden_queries.py backend document query
topics/search/test_nth_failure.py consistency errors outbox
topics/search/test_query_fuzz.py backend document errors
topics/search/test_rebuild_equals_live.py consistency outbox store
topics/search/test_saved_searches.py topics.models.searches topics.pages.search_screen
topics/search/test_search_facts.py errors outbox problems
topics/search/test_search_page.py outbox store
topics/search/test_search_bulk.py topics.pages.reading topics.views.search
topics/search/test_search_screen.py topics.pages.search_screen
topics/search/test_shared_topics.py topics.pages.search_facts topics.pages.search_results
topics/views/test_access.py topics.urls topic
topics/views/test_api.py topics.accounts.api_tokens topics.views.api
topics/views/test_api_schema.py topics.views.api
topics/views/test_banners.py topics.installation.health
topics/views/test_concept_pages.py topics.views.profile.ontologies
topics/views/test_knowledge_pages.py topics.views.profile.terms topics.views.profile.examples
topics/views/test_one_of_a_kind.py topic charts system
topics/views/test_pages.py topic run_pages page_detail
topics/views/test_query_counts.py topic page_detail
topics/views/test_stories.py topic
topics/views/test_today.py topics.home.today
"""
_TABLE = {line.split()[0]: line.split()[1:] for line in SUBJECTS.strip().splitlines()}


def source_of(test: Path) -> list[Path]:
    """Return the places where the module of a test may be."""
    name = test.stem.removeprefix("test_")
    return [ROOT / test.parent / f"{name}.py", ROOT / test.parent / name / "__init__.py"]


def mirroring_modules() -> list[Path]:
    """Return the test modules of all folders that mirror the source."""
    folder = ROOT / "tests"
    found = [path.relative_to(folder) for path in folder.rglob("test_*.py")]
    return [path for path in found if len(path.parts) > 1 and path.parts[0] not in WHOLE]


def test_each_test_module_mirrors_a_module_or_names_its_subject() -> None:
    alone = [
        str(test)
        for test in mirroring_modules()
        if str(test) not in _TABLE and not any(path.exists() for path in source_of(test))
    ]

    assert sorted(alone) == [], "move it, or add it to SUBJECTS with the modules it is about"


def test_each_subject_has_its_test_module_and_its_modules() -> None:
    assert [name for name in _TABLE if not (ROOT / "tests" / name).exists()] == []
    assert [name for name, modules in _TABLE.items() if not modules] == []


def test_each_module_of_a_subject_exists() -> None:
    missing = []
    for name, modules in _TABLE.items():
        for module in modules:
            folder = ROOT if "." in module else ROOT / Path(name).parent
            path = folder / module.replace(".", "/")
            if not path.with_suffix(".py").exists() and not path.is_dir():
                missing.append(f"{name}: {module}")

    assert missing == []
