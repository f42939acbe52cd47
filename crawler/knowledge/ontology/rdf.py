"""RDF bytes to concepts and relations, with a preview of what was understood."""

from collections import Counter
from collections.abc import Iterator

from rdflib import Literal, URIRef
from rdflib.term import Node

from crawler.knowledge.ontology import rdf_vocabulary as vocabulary
from crawler.knowledge.ontology.concept_graph import canonical_relations
from crawler.knowledge.ontology.concepts import (
    ALTERNATIVE,
    LABEL_KINDS,
    PREFERRED,
    Concept,
    Label,
    OntologyError,
    OntologyProblem,
    Relation,
)
from crawler.knowledge.ontology.hierarchy import cut_cycles
from crawler.knowledge.ontology.parsed_ontology import Ignored, IgnoredReason, ParsedOntology
from crawler.knowledge.ontology.rdf_parse import BASE_IRI, StatementSink, parse_statements
from crawler.page.clean import clean_line, strip_unshowable

MAX_CONCEPTS = 20_000
MAX_ID_CHARS = 2_000
#: PostgreSQL finds concepts by an index whose rows have 2,704 bytes at most.
MAX_ID_BYTES = 2_500
MAX_LABEL_CHARS = 500
MAX_LABELS_PER_CONCEPT = 1_000
MAX_LANGUAGE_CHARS = 40

_WANTED = frozenset({*vocabulary.LABELS, *vocabulary.RELATIONS, *vocabulary.STATEMENT_PARTS})
_LABEL_RANK = {predicate: rank for rank, predicate in enumerate(vocabulary.LABELS)}


def read_rdf(data: bytes) -> ParsedOntology:
    """Read an ontology; SKOS, OWL, RDFS, Dublin Core, schema.org and ISO-THES are known.

    Parameters
    ----------
    data : bytes
        Turtle, N-Triples, RDF/XML or JSON-LD with its context inside.

    Returns
    -------
    ParsedOntology
        Relative names are kept as the file has them. A subclass of skos:Concept describes the
        file's structure and not the subject, so it is not a concept (*Resolved*: else every concept
        is a kind of "Concept", and all of them are two steps apart).

    Raises
    ------
    OntologyError
        If the file cannot be read, breaks a limit or holds no concept.

    References
    ----------
    [P1], table of relations.
    """
    return _Reader(parse_statements(data, _WANTED)).read()


def _plain(node: Node) -> str:
    return str(node).removeprefix(BASE_IRI)


def _language(literal: Literal) -> str:
    """A label's language in lower case, cut to what a table holds (RFC 5646, section 4.4.2)."""
    tag = (literal.language or "").lower()
    while len(tag) > MAX_LANGUAGE_CHARS:
        tag = tag.rpartition("-")[0]
    return tag


def _is_id(name: str) -> bool:
    size = len(name.encode("utf-8", "surrogatepass"))
    is_short = len(name) <= MAX_ID_CHARS and size <= MAX_ID_BYTES
    return bool(name) and is_short and strip_unshowable(name) == name


def _label_order(entry: tuple[int, str, Literal]) -> tuple[int, str, str]:
    rank, _, literal = entry
    return rank, str(literal), literal.language or ""


class _Reader:
    """The statements of one file on their way to concepts."""

    def __init__(self, sink: StatementSink) -> None:
        self.sink = sink
        self.ignored: Counter[tuple[IgnoredReason, str]] = Counter()
        self.types: dict[Node, set[str]] = {}
        self.superclasses: dict[str, set[str]] = {}
        self.labels: dict[Node, list[tuple[int, str, Literal]]] = {}
        self.related: list[tuple[Node, str, Node]] = []
        self.described: dict[Node, dict[str, Node]] = {}
        for statement in sink.statements:
            self._sort_in(*statement)
        self.meta = self._meta_classes()

    def _sort_in(self, subject: Node, predicate: str, value: Node) -> None:
        if predicate in vocabulary.LABELS:
            if isinstance(value, Literal):
                rank = _LABEL_RANK[predicate]
                self.labels.setdefault(subject, []).append((rank, predicate, value))
            else:
                self.ignored[IgnoredReason.BAD_LABEL, predicate] += 1
            return
        if predicate in vocabulary.STATEMENT_PARTS:
            self.described.setdefault(subject, {})[predicate] = value
            return
        if predicate == vocabulary.TYPE:
            self.types.setdefault(subject, set()).add(str(value))
        if predicate == vocabulary.SUBCLASS_OF:
            self.superclasses.setdefault(str(value), set()).add(str(subject))
        self.related.append((subject, predicate, value))

    def _meta_classes(self) -> frozenset[str]:
        """Collect skos:Concept and all classes below it."""
        found: set[str] = set()
        waiting = [vocabulary.SKOS + "Concept"]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self.superclasses.get(name, ()))
        return frozenset(found)

    def read(self) -> ParsedOntology:
        concepts = {concept.id: concept for concept in self._concepts()}
        if not concepts:
            raise OntologyError(
                OntologyProblem.EMPTY,
                "the file holds no concept: nothing has a label that says what it is",
            )
        kept, cut = cut_cycles(canonical_relations(self._relations(concepts)))
        self._note_others()
        languages = Counter(x.language for c in concepts.values() for x in c.labels)
        kinds = Counter(str(relation.kind) for relation in kept)
        return ParsedOntology(
            title=self._title(),
            concepts=tuple(concepts[key] for key in sorted(concepts)),
            relations=tuple(kept),
            n_triples=self.sink.n_triples,
            labels_per_language=dict(sorted(languages.items())),
            relations_per_kind=dict(sorted(kinds.items())),
            cut=tuple(cut),
            ignored=tuple(
                Ignored(reason, what, n)
                for (reason, what), n in sorted(self.ignored.items(), key=lambda i: (-i[1], i[0]))
            ),
        )

    def _is_concept(self, node: Node) -> bool:
        types = self.types.get(node, set())
        if str(node) in self.meta or str(node).startswith(vocabulary.META_NAMESPACES):
            return False
        if types & (vocabulary.SCHEME_TYPES | vocabulary.OTHER_TYPES):
            return False
        if types & (vocabulary.CONCEPT_TYPES | self.meta):
            return True
        labels = self.labels.get(node, ())
        if any(vocabulary.LABELS[predicate] == PREFERRED for _, predicate, _ in labels):
            return True
        # Real files hold left-overs of concepts that were taken out.
        if labels:
            self.ignored[IgnoredReason.NO_NAME, "neither type nor preferred label"] += 1
        return False

    def _concepts(self) -> Iterator[Concept]:
        nodes = [node for node in {**self.labels, **self.types} if self._is_concept(node)]
        if len(nodes) > MAX_CONCEPTS:
            raise OntologyError(
                OntologyProblem.TOO_LARGE,
                f"the file holds {len(nodes):,} concepts, at most {MAX_CONCEPTS:,} can be imported",
            )
        for node in nodes:
            name = _plain(node)
            if not isinstance(node, URIRef):
                self.ignored[IgnoredReason.BLANK_NODE, "concept without an IRI"] += 1
            elif not _is_id(name):
                self.ignored[IgnoredReason.BAD_ID, clean_line(name, 100)] += 1
            else:
                yield Concept(name, self._concept_labels(node))

    def _concept_labels(self, node: Node) -> tuple[Label, ...]:
        """Clean a concept's labels; one preferred a language, each text once a language."""
        kinds: dict[tuple[str, str], str] = {}
        preferred: set[str] = set()
        for _, predicate, literal in sorted(self.labels.get(node, ()), key=_label_order):
            text, language = clean_line(literal, MAX_LABEL_CHARS), _language(literal)
            if len(literal) > MAX_LABEL_CHARS or not text:
                too_long = len(literal) > MAX_LABEL_CHARS
                reason = IgnoredReason.LABEL_TOO_LONG if too_long else IgnoredReason.BAD_LABEL
                self.ignored[reason, _plain(node)] += 1
                continue
            kind = vocabulary.LABELS[predicate]
            if kind == PREFERRED and language in preferred:
                kind = ALTERNATIVE
            if kinds.setdefault((text, language), kind) == PREFERRED:
                preferred.add(language)
        labels = sorted(
            (Label(text, language, kind) for (text, language), kind in kinds.items()),
            key=lambda x: (LABEL_KINDS.index(x.kind), x.language, x.text),
        )
        if len(labels) > MAX_LABELS_PER_CONCEPT:
            n_left_out = len(labels) - MAX_LABELS_PER_CONCEPT
            self.ignored[IgnoredReason.TOO_MANY_LABELS, _plain(node)] += n_left_out
        return tuple(labels[:MAX_LABELS_PER_CONCEPT])

    def _relations(self, concepts: dict[str, Concept]) -> Iterator[Relation]:
        for subject, predicate, value in self.related:
            yield from self._relation(concepts, subject, predicate, value)
        for parts in self.described.values():
            if all(part in parts for part in vocabulary.STATEMENT_PARTS):
                source, verb, target, degree = (parts[p] for p in vocabulary.STATEMENT_PARTS)
                name = str(verb)
                if name in vocabulary.RELATIONS:
                    yield from self._relation(concepts, source, name, target, str(degree))

    def _relation(
        self,
        concepts: dict[str, Concept],
        subject: Node,
        predicate: str,
        value: Node,
        degree: str = "",
    ) -> Iterator[Relation]:
        source, target = _plain(subject), _plain(value)
        if source not in concepts or target not in concepts:
            # Types name the description's own classes more often than concepts.
            own = (*vocabulary.META_NAMESPACES, *self.meta)
            if predicate != vocabulary.TYPE and not str(value).startswith(own):
                self.ignored[IgnoredReason.OUTSIDE_CONCEPT, predicate] += 1
        elif source == target:
            self.ignored[IgnoredReason.SELF_RELATION, source] += 1
        else:
            kind = vocabulary.RELATIONS[predicate]
            try:
                yield Relation(source, kind, target, float(degree) if degree else None)
            except (ValueError, OntologyError):
                self.ignored[IgnoredReason.BAD_DEGREE, degree[:50]] += 1

    def _note_others(self) -> None:
        for predicate, n in self.sink.others.items():
            is_link = predicate in vocabulary.LINKS
            reason = IgnoredReason.LINK_NOT_FOLLOWED if is_link else IgnoredReason.UNKNOWN_PREDICATE
            self.ignored[reason, clean_line(predicate, 200)] += n

    def _title(self) -> str:
        for node, types in self.types.items():
            if types & vocabulary.SCHEME_TYPES and node in self.labels:
                return clean_line(min(self.labels[node], key=_label_order)[2], 200)
        return ""
