"""The topic file in the description of the API: its schema, and an example in each language."""

from typing import Any, Final

import msgspec

from topics.topic_file import TopicDocument

#: Before the names of its parts, as the answers have names of their own.
_PREFIX: Final = "File"
_NAMES, _PARTS = msgspec.json.schema_components(
    [TopicDocument], ref_template=f"#/components/schemas/{_PREFIX}{{name}}"
)
#: What the schema of the body refers to.
SCHEMAS: Final[dict[str, Any]] = {f"{_PREFIX}{name}": part for name, part in _PARTS.items()}


def _example(name: str, slug: str, language: str, seed: str, *terms: str) -> dict[str, Any]:
    head = {"format": "focusweb-topic", "version": 1, "name": name, "slug": slug}
    rows = [{"text": term, "weight": 1.0} for term in terms]
    return head | {"languages": [language], "seeds": [seed], "terms": rows}


_EXAMPLES: Final = {
    "english": _example(
        "Solar cells", "solar", "en", "https://en.wikipedia.org/wiki/Solar_cell", "solar cell"
    ),
    "chinese": _example(
        "太阳能电池",
        "solar-zh",
        "zh",
        "https://zh.wikipedia.org/wiki/太阳能电池",
        "太阳能电池",
        "光伏",
    ),
}
#: For `openapi_extra` of an operation that reads a topic file.
BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": _NAMES[0],
                "examples": {name: {"value": value} for name, value in _EXAMPLES.items()},
            }
        },
    }
}
