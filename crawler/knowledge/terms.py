"""A topic's own terms: as a vector, and as rules a page must keep."""

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PageTerms
from crawler.text.tokens import tokenize

#: Weight of the words in a topic's name beside its terms' own weights.
NAME_WEIGHT = 1.0


def profile_vector(profile: TopicProfile) -> dict[str, float]:
    """Weight of each token of the topic's name and terms; a token's largest counts."""
    vector = dict.fromkeys(tokenize(profile.name), NAME_WEIGHT)
    for term in profile.terms:
        if not term.excluded:
            for token in tokenize(term.text):
                vector[token] = max(vector.get(token, 0.0), term.weight)
    return vector


class TermRules:
    """The topic's required and excluded terms, matched as whole phrases."""

    def __init__(self, profile: TopicProfile) -> None:
        self._required = [tokenize(term.text) for term in profile.terms if term.required]
        self._excluded = [tokenize(term.text) for term in profile.terms if term.excluded]

    def broken_by(self, page: PageTerms) -> str:
        """ "required_missing" or "excluded_present" if the page breaks a rule, else ""."""
        if any(not holds_phrase(page, phrase) for phrase in self._required):
            return "required_missing"
        if any(holds_phrase(page, phrase) for phrase in self._excluded):
            return "excluded_present"
        return ""


def holds_phrase(page: PageTerms, phrase: list[str]) -> bool:
    """True if the page holds these tokens one after the other; False for no tokens."""
    if not phrase:
        return False
    number = {term: position for position, term in enumerate(page.vocabulary)}
    if any(token not in number for token in phrase):
        return False
    wanted = [number[token] for token in phrase]
    tokens = page.indices().tolist()
    return any(
        tokens[start : start + len(wanted)] == wanted
        for start, token in enumerate(tokens)
        if token == wanted[0]
    )
