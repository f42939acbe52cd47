"""Which judge stands for a topic under the name of `focus`."""

from dataclasses import replace

from crawler.knowledge.answers import answered_yes
from crawler.knowledge.judge import Example, Judge, TrainingSet
from crawler.knowledge.judges.answered_judge import AnsweredJudge
from crawler.knowledge.judges.first_pages_judge import FirstPagesJudge
from crawler.knowledge.judges.focus_judge import FocusJudge
from crawler.knowledge.judges.focus_learning import MANY, MIN_BACKGROUND, learn
from crawler.knowledge.judges.unlike_examples import is_likeness_alone
from crawler.knowledge.profile import CrawlSettings, TopicProfile

#: Trust in a page that was answered with yes: as much as in a seed.
ANSWER_WEIGHT = 1.0


class FocusKind:
    """Registers `FocusJudge`."""

    name = "focus"
    parameters = ()

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> Judge:
        """Make the judge; the cosine judge where there is too little to learn from.

        From `MIN_ANSWERS` answers on, pages answered with yes are examples of a second judge.
        """
        judge = _learnt(profile, training_set)
        answered = _examples_by_answers(training_set)
        if not answered or not isinstance(judge, FocusJudge):
            return judge
        more = replace(training_set, examples=[*training_set.examples, *answered])
        taught = _learnt(profile, more)
        return AnsweredJudge(judge, taught) if isinstance(taught, FocusJudge) else judge


def _learnt(profile: TopicProfile, training_set: TrainingSet) -> Judge:
    """Build the judge by the examples alone."""
    n_others = len(training_set.background) - training_set.n_fetched
    if n_others + training_set.n_fetched // 2 < MIN_BACKGROUND or not any(
        example.good and len(example.terms) for example in training_set.examples
    ):
        return FirstPagesJudge(profile, training_set)
    model = learn(profile, training_set)
    if (
        n_others < MIN_BACKGROUND  # a first crawl
        and model.share > MANY
        and is_likeness_alone(profile, training_set, model.share)
    ):
        return FirstPagesJudge(profile, training_set)
    return FocusJudge(profile, training_set, model)


def _examples_by_answers(training_set: TrainingSet) -> list[Example]:
    """Pages answered with yes that are not examples already, if there are enough answers."""
    known = {example.page for example in training_set.examples if example.page}
    return [
        replace(example, weight=ANSWER_WEIGHT)
        for example in answered_yes(one for one in training_set.rated if len(one.terms))
        if example.page not in known
    ]
