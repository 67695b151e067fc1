"""What does a spreadsheet show for a cell's value?"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import hypot
from typing import cast

from rag_chunker.parsing.decoding import clean, is_clean

_NUMERIC = frozenset({int, float})
"""Not `bool`, which is an `int` to `isinstance`."""
_LONGEST = 1e21
"""From here on numbers are written with an exponent."""
Value = int | float | str | bool | date | datetime | time | timedelta


def shown(value: Value) -> str:
    """The value as text: `4` not `4.0`, ISO dates without a time of 00:00:00, `TRUE`, `1:30:00`.

    Numbers have the 15 digits that spreadsheets keep, so that 0.1 + 0.2 is 0.3.
    """
    return _SHOWN[type(value)](value)


def all_shown(values: Sequence[Value]) -> Sequence[str]:
    """One or more, each as `shown` gives it but on one line. Mostly in half the time."""
    if type(values[0]) is str:
        with suppress(TypeError):  # of one kind or not, joining says it and has to be done anyway
            return on_one_line(cast("Sequence[str]", values))
    kinds = set(map(type, values))
    if kinds == _NUMERIC:
        floats = list(map(float, cast("Sequence[float]", values)))
        if floats == list(values):  # but for large whole ones
            return _numbers(floats)
    if len(kinds) == 1:
        return _of_one_kind(kinds.pop(), values)
    parts = {kind: [value for value in values if type(value) is kind] for kind in kinds}
    texts = {kind: iter(_of_one_kind(kind, part)) for kind, part in parts.items()}
    return [next(texts[type(value)]) for value in values]


def on_one_line(texts: Sequence[str]) -> Sequence[str]:
    """Each on one line, and clean. Raises `TypeError` if any is no text."""
    text = "".join(texts)
    if is_clean(text) and "\n" not in text:
        return texts
    return [clean(one).replace("\n", " ") for one in texts]


def _of_one_kind(kind: type, values: Sequence[Value]) -> Sequence[str]:
    several = _SEVERAL_SHOWN.get(kind)
    return several(values) if several else list(map(_SHOWN[kind], values))


def _numbers(values: Sequence[float]) -> list[str]:
    # The root of all squares is at least the largest, and found in a third of the time.
    if all(map(float.is_integer, values)) and hypot(*values) < _LONGEST:
        return list(map(str, map(float.__trunc__, values)))
    text = "\0".join(["%.15g"] * len(values)) % tuple(values)
    if "e" in text or "-0\0" in f"{text}\0":  # whole ones of more than 15 digits, and minus zero
        return list(map(_number, values))
    return text.split("\0")


def as_percentage(value: Value) -> str:
    """0.125 as `12.5%`; what is not a number stays as it is."""
    if type(value) in _NUMERIC:
        return f"{_number(float(Decimal(repr(value)) * 100))}%"
    return shown(value)


def padded(value: Value, *, width: int) -> str:
    """A whole number with leading zeros up to `width` digits; anything else stays as it is."""
    text = shown(value)
    return text.zfill(width) if type(value) in _NUMERIC and text.isdecimal() else text


def masked(value: Value, *, mask: str) -> str:
    """A whole number with the signs of its mask between the digits: `(555) 567-8900`. It has as
    many digits as there are places (`0`, `#`), zeros in front of it if all are `0`; anything else
    stays as it is."""
    text = padded(value, width=0 if "#" in mask else mask.count("0"))
    if type(value) not in _NUMERIC or not text.isdecimal():
        return text
    if len(text) != mask.count("0") + mask.count("#"):
        return shown(value)
    digits = iter(text)
    return "".join(next(digits) if sign in "0#" else sign for sign in mask).strip()


def with_unit(value: Value, *, before: str, behind: str) -> str:
    """A number with what its format writes around it: `4.5 kg`, `-$12`; anything else as it is."""
    text = shown(value)
    if type(value) not in _NUMERIC:
        return text
    sign = "-" if text.startswith("-") else ""
    return f"{sign}{before}{text.removeprefix(sign)}{behind}"


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < _LONGEST:
        return str(int(value))
    return f"{value:.15g}"


def _moment(value: datetime) -> str:
    # Serial numbers are binary fractions of a day: 14:30 arrives as 14:29:59.999997.
    rounded = (value + timedelta(microseconds=500_000)).replace(microsecond=0)
    return str(rounded.date()) if rounded.time() == time() else _without_zero_seconds(str(rounded))


def _moments(values: Sequence[datetime]) -> list[str]:
    text = "\0".join(map(str, values)) + "\0"
    if "." in text:  # to be rounded
        return list(map(_moment, values))
    return text.replace(" 00:00:00\0", "\0").replace(":00\0", "\0").split("\0")[:-1]


def _time_of_day(value: time) -> str:
    return _without_zero_seconds(value.isoformat(timespec="seconds"))


def _without_zero_seconds(text: str) -> str:
    return text.removesuffix(":00") if text.count(":") > 1 else text


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    minutes, second = divmod(abs(seconds), 60)
    sign = "-" if seconds < 0 else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{second:02}"


_SHOWN: dict[type, Callable[..., str]] = {
    str: clean,
    float: _number,
    int: str,
    bool: lambda value: "TRUE" if value else "FALSE",
    date: date.isoformat,
    datetime: _moment,
    time: _time_of_day,
    timedelta: _duration,
}

_SEVERAL_SHOWN: dict[type, Callable[..., Sequence[str]]] = {
    str: on_one_line,
    float: _numbers,
    datetime: _moments,
}
