"""What does a spreadsheet show for a cell's value?"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from math import hypot
from typing import Any, cast

from rag_chunker.parsing.decoding import clean, is_clean

_NUMERIC = frozenset({int, float})
"""Not `bool`, which is an `int` to `isinstance`."""
_LONGEST = 1e21
"""From here on numbers are written with an exponent."""
Value = int | float | str | bool | date | datetime | time | timedelta
Format = Callable[[Sequence[float]], Sequence[str]]
"""Shows numbers."""


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
    if len(kinds) == 1:
        return _of_one_kind(kinds.pop(), values)
    if kinds == _NUMERIC:
        floats = list(map(float, cast("Sequence[float]", values)))
        if floats == list(values):  # but for large whole ones
            return _numbers(floats)
    return _by_kind(values, list(map(type, values)), _of_one_kind)


def formatted(values: Sequence[Value], formats: Sequence["Format | None"]) -> Sequence[str]:
    """As `all_shown`, but numbers that have a format as that shows them."""
    pairs = zip(values, formats, strict=True)
    own = [how if type(value) in _NUMERIC else None for value, how in pairs]
    return _by_kind(values, own, lambda how, some: how(some) if how else all_shown(some))


def _by_kind(
    values: Sequence[Value], kinds: list[Any], show: Callable[[Any, Any], Sequence[str]]
) -> Sequence[str]:
    """Shows those of each kind together."""
    if len(each := set(kinds)) == 1:
        return show(each.pop(), values)
    pairs = list(zip(values, kinds, strict=True))
    parts = {kind: [value for value, its in pairs if its is kind] for kind in each}
    texts = {kind: iter(show(kind, part)) for kind, part in parts.items()}
    return [next(texts[kind]) for kind in kinds]


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


def as_percentage(values: Sequence[float]) -> Sequence[str]:
    """0.125 as `12.5%`."""
    return [f"{text}%" for text in _numbers([float(value * 100) for value in values])]


def padded(values: Sequence[float], *, width: int) -> Sequence[str]:
    """Whole numbers with leading zeros up to `width` digits; any other as it is."""
    return [text.zfill(width) if text.isdecimal() else text for text in all_shown(values)]


def masked(values: Sequence[float], *, mask: str) -> Sequence[str]:
    """Whole numbers with the signs of their mask between the digits: `(555) 567-8900`. They have as
    many digits as there are places (`0`, `#`), zeros in front of it if all are `0`; any other stays
    as it is."""
    places = mask.count("0") + mask.count("#")
    width = 0 if "#" in mask else places
    texts = all_shown(values)
    full = [text.zfill(width) if text.isdecimal() else "" for text in texts]
    return [
        _masked(digits, mask) if len(digits) == places else text
        for digits, text in zip(full, texts, strict=True)
    ]


def _masked(digits: str, mask: str) -> str:
    each = iter(digits)
    return "".join(next(each) if sign in "0#" else sign for sign in mask).strip()


def with_unit(values: Sequence[float], *, before: str, behind: str) -> Sequence[str]:
    """Numbers with what their format writes around them: `4.5 kg`, `-$12`."""
    return [
        f"-{before}{text[1:]}{behind}" if text[0] == "-" else f"{before}{text}{behind}"
        for text in all_shown(values)
    ]


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
    bool: {True: "TRUE", False: "FALSE"}.__getitem__,
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
