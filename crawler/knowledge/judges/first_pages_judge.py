"""The judge of a crawl's first pages, from which little can be learnt yet."""

from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.title_vectors import inner_product, mean_vector
from crawler.page.parsed import PageTerms

#: What a title that names the same as the examples' titles adds to the odds of a page.
TITLE_ODDS = 1.0


class FirstPagesJudge(CosineJudge):
    """The cosine judge, which makes the strategy look for what the examples' titles name.

    The first pages share few words with the examples, but an owl and a penguin are both birds.
    What is kept goes by the words alone.
    """

    def __init__(self, profile: TopicProfile, training_set: TrainingSet) -> None:
        super().__init__(profile, training_set)
        examples = (example.terms.title for example in training_set.examples if example.good)
        self._titles = mean_vector([profile.name, *examples])

    def raised(self, page: PageTerms, relevance: float) -> float:
        """Raise the odds of a relevance by the likeness of the title to the examples' titles."""
        likeness = inner_product(page.title, self._titles)
        if not likeness or not self.topic_terms or self._rules.broken_by(page):
            return relevance
        odds = relevance / max(1 - relevance, 1e-9) + TITLE_ODDS * likeness
        return odds / (1 + odds)
