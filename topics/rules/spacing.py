"""Chinese pages and mails without blanks where Chinese has none.

Templates set sentences, names and links side by side with blanks or line breaks between them, as
English needs it. Chinese marks of punctuation bring their own space.
"""

import re

# What is typed, or shown as it is.
_AS_IS = re.compile(r"<(textarea|pre|script|style)\b.*?</\1>", re.DOTALL)
_BLANKS = " \t\r\n"
# A mark, and tags within a line that end or begin after it.
_AFTER_MARK = re.compile(
    r"([。，；：！？、）》」』](?:</?(?:a|b|bdi|code|em|i|mark|small|span|strong|time)\b[^>]*+>)*+)"
    r"[ \t\r\n]++"
)
_OPENING = "（《「『"
_BEFORE_PERCENT = re.compile(r" %(?![0-9A-Za-z])(?<=[0-9] %)")


def close_up(html: str) -> str:
    """Leave out the blanks beside Chinese punctuation, but not in texts that people edit."""
    parts, begin = [], 0
    for kept in _AS_IS.finditer(html):
        parts += [_closed_up(html[begin : kept.start()]), kept[0]]
        begin = kept.end()
    return "".join([*parts, _closed_up(html[begin:])])


def _closed_up(html: str) -> str:
    # Once more for blanks after a tag that itself followed blanks.
    html = _AFTER_MARK.sub(r"\1", _AFTER_MARK.sub(r"\1", html))
    for mark in _OPENING:
        *before, last = html.split(mark)
        html = "".join([one.rstrip(_BLANKS) + mark for one in before]) + last
    return _BEFORE_PERCENT.sub("%", html)
