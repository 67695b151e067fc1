"""How do we tell a user what is wrong with a setting? Key, mistake, and what is allowed."""

import json
from collections.abc import Callable
from difflib import get_close_matches

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

__all__ = ["explain"]


def explain(
    error: ValidationError,
    model: type[BaseModel],
    *,
    name_of: Callable[[str], str] = lambda key: key,
) -> str:
    """All problems of a failed validation in one line, each with its key.

    `name_of` turns a key into the name that the user knows it by.
    """
    return "; ".join(_one(problem, model, name_of) for problem in error.errors())


def _one(problem: ErrorDetails, model: type[BaseModel], name_of: Callable[[str], str]) -> str:
    where = problem["loc"]
    if problem["type"] == "extra_forbidden":
        return _unknown(where, model)
    key = name_of(_dotted(where)) if where else ""
    if problem["type"] == "missing":
        return f"{key} is missing"
    if problem["type"] == "value_error":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{key}: {message}" if key else _renamed(message, model, name_of)
    written = f"{key} = {_as_written(problem['input'])}"
    expected = _EXPECTED.get(problem["type"])
    if expected is None:
        return f"{written}: {problem['msg']}"
    return f"{written} must be {expected.format_map(problem.get('ctx', {}))}"


_EXPECTED = {
    "tuple_type": 'a list such as ["a", "b"]',
    "model_type": "a [section] with keys of its own",
    "string_type": 'a text in quotes, such as "a"',
    "int_type": "a whole number, without quotes",
    "bool_type": "true or false, without quotes",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
}
"""By pydantic's type of error: what a settings file has to hold there."""


def _as_written(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _renamed(message: str, model: type[BaseModel], name_of: Callable[[str], str]) -> str:
    for field in model.model_fields:
        message = message.replace(field, name_of(field))
    return message


def _unknown(where: tuple[int | str, ...], model: type[BaseModel]) -> str:
    *section, key = where
    allowed = sorted(_fields(section, model))
    near = get_close_matches(str(key), allowed, n=1)
    place = f"in [{_dotted(tuple(section))}]" if section else "at the top"
    text = f"unknown key {str(key)!r} {place}"
    if near:
        text += f", did you mean {near[0]!r}?"
    elif key in model.model_fields:
        text += "; if it is meant for the whole corpus, move it above the first [section]"
    return f"{text} (allowed: {', '.join(allowed)})"


def _fields(section: list[int | str], model: type[BaseModel]) -> list[str]:
    for key in section:
        if isinstance(key, str):
            kinds = (model.model_fields[key].annotation, *_arguments(model, key))
            model = next(k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel))
    return list(model.model_fields)


def _arguments(model: type[BaseModel], key: str) -> tuple[object, ...]:
    return getattr(model.model_fields[key].annotation, "__args__", ())


def _dotted(where: tuple[int | str, ...]) -> str:
    text = ""
    for part in where:
        # People count the tables and entries of their file from one.
        text += f" #{part + 1}" if isinstance(part, int) else f".{part}" if text else part
    return text
