"""The crawler's tables."""

from crawler.models.crawls import Crawl, Harvest, Knowledge, Run, Story
from crawler.models.frontier import Assignment, FrontierEntry
from crawler.models.knowledge import Concept, Label, Ontology, Relation
from crawler.models.machines import Machine
from crawler.models.sources import Source
from crawler.models.web import IndexOutbox, Link, Page, Site, SiteLines, SiteRobots, Url
