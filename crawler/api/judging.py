"""Labels and what follows from them: training set, questions, re-scoring, stories."""

from crawler.judging.adaptation import adaptation_of
from crawler.judging.judged_by import is_judged, is_outdated, last_threshold, note_judged
from crawler.judging.rescore import (
    ChangedPages,
    Rescore,
    compute_rescore,
    rejudge,
)
from crawler.judging.training import count_words, load_training_set
from crawler.judging.write_scores import Rejudged
from crawler.knowledge.discriminative_terms import discriminative_terms
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.questions import (
    MOST_QUESTIONS,
    N_QUESTIONS,
    choose_questions,
    ranks_to_compare,
)
from crawler.store.frontier.seeds import seed_pages
from crawler.store.labels import LabelledPage, decided_pages, load_labels, save_labels
from crawler.store.stories import pages_of_stories
from crawler.store.stuffed import farms, stuffed_among
