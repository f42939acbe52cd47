"""Other names of what is looked for, from the ontologies that a reader may see."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Upper

from crawler.api.ontologies import label_key
from crawler.api.tables import Label
from focusweb.database import among_texts, number_list
from focusweb.prepared import prepared
from topics.search.analysis import query_words
from topics.search.query import Query
from topics.search.tree import And, Clause, Node, Or

#: Most other names that one word or phrase is given.
MAX_NAMES = 4
#: What a find by another name counts against one by the name that was typed.
OTHER_NAME_WEIGHT = 0.5


def names_of_concept(term: str, position: int, readers: Collection[int]) -> Node:
    """Return what finds a term by any of its names."""
    own = _clause(term, position)
    others = other_names([term], readers).get(label_key(term), [])
    return Or((own, *(_clause(name, position) for name in others))) if others else own


def with_other_names(
    query: Query, readers: Collection[int], *, without: Collection[str] = ()
) -> tuple[Query, list[str]]:
    """Let a query find its words by the other names of their concepts too.

    Parameters
    ----------
    readers : collection of int
        Keys of the people whose ontologies count, beside those that are shared.
    without : collection of str
        Names that a person switched off, as `label_key` spells them.

    Returns
    -------
    query : Query
    names : list of str
        Every other name there is, also those that were switched off.
    """
    texts = {label_key(clause.text) for clause in query.wanted if not clause.is_prefix}
    whole = _run_of_words(query.tree)
    texts.add(label_key(" ".join(clause.text for clause in whole)))
    known = other_names(texts, readers)
    if not known:
        return query, []
    names = list(dict.fromkeys(name for found in known.values() for name in found))
    used = {
        key: [name for name in found if label_key(name) not in without]
        for key, found in known.items()
    }
    return replace(query, tree=_widened(query.tree, used)), names


def other_names(texts: Iterable[str], readers: Collection[int]) -> dict[str, list[str]]:
    """Return the other names of the concepts that are called so, by `label_key` of the text."""
    spelt = {text: _spellings(text) for text in texts if text.strip()}
    if not spelt or not readers:
        return {}
    typed = defaultdict[str, set[str]](set)
    for text, spellings in spelt.items():
        for spelling in spellings:
            typed[label_key(spelling)].add(label_key(text))
    every = sorted(set().union(*spelt.values()))
    named = _named(
        [spelling.upper() for spelling in every if spelling.isascii()],
        [spelling for spelling in every if not spelling.isascii()],
        [*readers],
    )
    if not named:
        return {}
    concepts = {concept: typed[label_key(text)] for concept, text in named}
    shown = Label.objects.filter(concept__in=concepts).exclude(kind=Label.Kind.HIDDEN)
    found: dict[str, list[str]] = {}
    for concept, text in shown.order_by("kind", "pk").values_list("concept_id", "text"):
        for key in sorted(concepts[concept]):
            names = found.setdefault(key, [])
            if label_key(text) not in {*_spellings(key), *map(label_key, names)}:
                names.append(text)
    return {key: names[:MAX_NAMES] for key, names in found.items() if names}


@prepared
def _named(
    in_upper_case: Sequence[str], as_they_are: Sequence[str], readers: Sequence[int]
) -> QuerySet[Any, Any]:
    """Concepts that some people may see, with the names by which they are called."""
    visible = Q(concept__ontology__shared=True) | Q(
        concept__ontology__owner__in=number_list(readers)
    )
    labels = Label.objects.filter(visible).annotate(upper=Upper("text"))
    same = Q(upper__in=among_texts(in_upper_case)) | Q(text__in=among_texts(as_they_are))
    return labels.filter(same).values_list("concept_id", "text")


def _spellings(text: str) -> set[str]:
    """How ontologies may spell a name: as typed, folded, and without the s of a plural."""
    key = label_key(text)
    singular = {key[:-1]} if re.fullmatch(r"[a-z ]{2,}[^s]s", key) else set()
    return {text, key} | singular


def _widened(node: Node, names: dict[str, list[str]]) -> Node:
    match node:
        case Clause() if not node.is_prefix:
            return _or_named(node, names.get(label_key(node.text), []), node)
        case And(parts):
            widened = And(tuple(_widened(part, names) for part in parts))
            words = _run_of_words(node)
            if len(words) != len(parts):
                return widened
            whole = label_key(" ".join(clause.text for clause in words))
            return _or_named(widened, names.get(whole, []), words[0])
        case Or(parts):
            return Or(tuple(_widened(part, names) for part in parts))
        case _:
            # What is excluded is excluded as it was typed.
            return node


def _or_named(node: Node, names: list[str], typed: Clause) -> Node:
    if not names:
        return node
    others = (_clause(name, typed.position) for name in names)
    return Or(
        (
            node,
            *(
                replace(other, weight=OTHER_NAME_WEIGHT, in_title=typed.in_title)
                for other in others
            ),
        )
    )


def _clause(name: str, position: int) -> Clause:
    # A name of several words is one thing, which they give only side by side.
    return Clause(name, is_phrase=len(query_words(name)) > 1, position=position)


def _run_of_words(node: Node) -> list[Clause]:
    """The plain words that stand side by side at the top of a query."""
    parts = node.parts if isinstance(node, And) else (node,)
    return [
        part
        for part in parts
        if isinstance(part, Clause) and not (part.is_phrase or part.is_prefix or part.in_title)
    ]
