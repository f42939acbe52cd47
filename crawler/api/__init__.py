"""The public interface of the crawler: what `topics` may import, one module per subject.

- `crawler.api.reasons`: why a fetch, a source or a run ended; the crawler's errors
- `crawler.api.tables`: the crawler's tables, and how to read their packed columns
- `crawler.api.profiles`: a topic as the crawler sees it; its settings; checks of parameters
- `crawler.api.text`: text to tokens, as pages, topics and queries are compared; the nouns
- `crawler.api.pages`: URLs, and what a parsed page consists of
- `crawler.api.ranking`: the order of kept pages: freshness, new sites, keyword stuffing
- `crawler.api.ontologies`: read a file, look labels up, expand terms, write Turtle
- `crawler.api.judging`: labels, training set, questions, re-scoring, stories
- `crawler.api.runs`: fetch one page, or crawl in this process
- `crawler.api.searches`: search providers: the requests they get, and their terms of use
- `crawler.api.sources`: the sources of a crawl, their targets, and their next visits
- `crawler.api.sites`: stop, allow and remove sites; their robots.txt rules
- `crawler.api.replay`: replay a stored crawl, measure it, or export it as a snapshot
- `crawler.api.checks`: rules that must hold after any crash
- `crawler.api.tasks`: background work, as the cluster and the timer call it

`topics` imports nothing else of the crawler; `tests/test_architecture.py` checks it. A new name
goes into the module of its subject. Code that needs many internals belongs into the crawler.
"""
