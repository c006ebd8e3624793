"""Texts that are numbers to a reader: with a sign, a decimal comma or separators."""

import re

_NUMBER = (
    r"[+-]?(\d{1,3}(?P<mark>[,.' \u00a0\u202f])\d{3}((?P=mark)\d{3})*|\d+)([.,]\d+)?"
)
_WRITTEN = re.compile(rf"[$€£¥]?\s?{_NUMBER}\s?[%‰$€£¥]?")
_MARKS = re.compile(r"[%‰$€£¥]|[,' \u00a0\u202f]")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def find_mark(text):
    """What keeps a text from being a number, such as "%"; None if it is far from one.

    Examples
    --------
    >>> [find_mark(text) for text in ("5 %", "$3", "1,234.5", "1.5", "5 apples")]
    ['%', '$', ',', None, None]
    """
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        return None
    marks = sorted(_MARKS.findall(text), key="%‰$€£¥,' \u00a0\u202f".index)
    return marks[0] if marks else None


def advise(text):
    """How to make a number of such a text; None if it is far from one.

    Examples
    --------
    >>> advise("5%")
    "write numbers without '%'"
    """
    mark = find_mark(text)
    if mark is None:
        return None
    advice = f"write numbers without {mark!r}"
    if _DECIMAL_COMMA.fullmatch(text):
        advice += ", or add --decimal ',' if it is a decimal comma"
    return advice
