"""The order of kept pages: content, freshness, places for new sites, keyword stuffing."""

from crawler.knowledge.stuffing import LEAST_TRUST, STUFFED
from crawler.ranking.freshness import NEW_SITE, freshness_weight, half_life_days, is_new_site
from crawler.ranking.new_site_slots import Candidate, first_ranked
from crawler.ranking.news_order import NewsPage, news_order
from crawler.ranking.score import (
    CONTENT_WEIGHTS,
    DENSITY_HALF,
    RELEVANCE_WEIGHTS,
    absolute_content,
    density_value,
)
from crawler.ranking.scorers import SCORER
