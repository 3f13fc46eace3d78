"""The data that a paper was printed from, as text that is kept beside it, and read back into the same values.

Lines of JSON, compressed: what made it first, then each field of the report, sequences item by item, so that a long
report is never held as one text. Names, not places, say what a value is: it can be read without us. It knows no paper.
"""

import gzip
import json
from collections import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import IO, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

FORMAT: Final = "casino-report-data/1"
_PLAIN: Final = (bool, int, float, str, NoneType)
# Values that are written as text, and how they are read again.
_TEXTS: Final[dict[type, Callable[[str], Any]]] = {
    Fraction: Fraction,
    Decimal: Decimal,
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    UUID: UUID,
}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Origin:
    """What frozen data says of itself: which report it is of, in which words and by which program it was printed."""

    serial: str
    kind: str
    language: str
    zone: str
    version: str
    build: str


def freeze(report: Any, origin: Origin, file: IO[bytes]) -> None:
    """Write a report's data; the same data gives the same bytes."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, mtime=0, fileobj=file) as packed:

        def put(line: object) -> None:
            packed.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

        put({"format": FORMAT, **_plain(origin)})
        for name, hint in get_type_hints(type(report)).items():
            value = getattr(report, name)
            if get_origin(hint) is abc.Sequence:
                for item in value:
                    put({f"{name}[]": _plain(item)})
            else:
                put({name: _plain(value)})


def origin_of(file: IO[bytes]) -> Origin:
    """Read what frozen data says of itself."""
    with gzip.GzipFile(fileobj=file) as packed:
        return _first(packed)


def thaw(kind: type[_T], file: IO[bytes]) -> _T:
    """Read a report's data again; sequences come as tuples."""
    hints = get_type_hints(kind)
    found: dict[str, Any] = {name: [] for name, hint in hints.items() if get_origin(hint) is abc.Sequence}
    with gzip.GzipFile(fileobj=file) as packed:
        _first(packed)
        for line in packed:
            ((name, value),) = json.loads(line).items()
            if name.endswith("[]"):
                (of,) = get_args(hints[name[:-2]])
                found[name[:-2]].append(_reader(of)(value))
            else:
                found[name] = _reader(hints[name])(value)
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in found.items()})


def _first(lines: Iterator[bytes]) -> Origin:
    said = json.loads(next(lines))
    assert said.pop("format") == FORMAT, "frozen data of another form"
    return Origin(**said)


def _plain(value: Any) -> Any:
    """Turn a value into what JSON has; a named tuple of plain values goes as it is."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in _TEXTS:
        return value.isoformat() if isinstance(value, date) else str(value)
    if kind is timedelta:
        return value // timedelta(microseconds=1)
    if is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in _names(kind)}  # type: ignore[arg-type] # a class hashes
    if isinstance(value, tuple) and _all_plain(kind):  # type: ignore[arg-type] # a class hashes
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    # A text of a kind of its own (a code) is that text.
    assert isinstance(value, str), f"a report holds {kind.__name__}, which cannot be kept"
    return str(value)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


@cache
def _all_plain(kind: type) -> bool:
    """Whether a named tuple holds nothing that would have to be written otherwise."""
    return hasattr(kind, "_fields") and all(hint in _PLAIN for hint in get_type_hints(kind).values())


def _same(value: Any) -> Any:
    return value


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """Return what reads a value of a type back from what JSON has."""
    origin, of = get_origin(hint), get_args(hint)
    if hint in _PLAIN or hint is Any or origin is Literal:
        return _same
    if hint in _TEXTS:
        return _TEXTS[hint]
    if hint is timedelta:
        return lambda value: timedelta(microseconds=value)
    if origin in (Union, UnionType):
        (one,) = (each for each in of if each is not NoneType)
        read = _reader(one)
        return lambda value: None if value is None else read(value)
    if origin in (abc.Mapping, dict):
        assert of[0] is str, "the names of a mapping are texts"
        item = _reader(of[1])
        return lambda value: {name: item(each) for name, each in value.items()}
    if origin is tuple and (len(of) != 2 or of[1] is not Ellipsis):
        readers = tuple(map(_reader, of))
        return lambda value: tuple(read(each) for read, each in zip(readers, value, strict=True))
    if origin in (abc.Sequence, tuple, list):
        read_one = _reader(of[0])
        return lambda value: tuple(map(read_one, value))
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return lambda value: hint(**{name: _reader(hints[name])(each) for name, each in value.items()})
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        readers = tuple(map(_reader, get_type_hints(hint).values()))
        return lambda value: hint(*(read(each) for read, each in zip(readers, value, strict=True)))
    raise AssertionError(f"a report holds {hint}, which cannot be read again")
