"""Compares rows of facts with the journal entries that made them. Pure: findings are returned, none raised."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tables.queries.house_facts import HouseFact, kinds_made

Row = Mapping[str, Any]


def entry_findings(said: Row, stored: Row) -> list[str]:
    """Compare the columns beside an entry's text with what the text says."""
    return [
        f"its column {name} says {stored[name]!r}, its text {said.get(name)!r}"
        for name in ("type", "author", "recorded_at", "happened_at", "late")
        if stored[name] != said.get(name)
    ]


def fact_findings(facts: Mapping[str, Sequence[Row]], rows: Mapping[str, Sequence[Row]], about: Row) -> list[str]:
    """Compare the rows that an entry made with those that are there.

    `rows` are by kind, each with the columns that the entry names and with `deal`, `opening` and `day`; `about` are
    the entry's own deal and opening and that opening's gaming date.
    """
    findings = []
    for kind in {**facts, **rows}:
        made, found = facts.get(kind, []), rows.get(kind, [])
        columns = set().union(*(row.keys() for row in found)) - {"deal", "opening", "day"}
        expected = [_comparable({name: row.get(name) for name in columns}) for row in made]
        missing = list(expected)
        for row in found:
            comparable = _comparable({name: row[name] for name in columns})
            if comparable in missing:
                missing.remove(comparable)
            else:
                findings.append(f"a {kind} was changed or added: {_say(row)}{_nearest(row, made, columns)}")
            findings += [
                f"a {kind} stands under another {name}: {row[name]!r}, not {about[name]!r}"
                for name in ("deal", "opening", "day")
                if name in row and row[name] != about[name]
            ]
        if len(found) < len(made):
            findings.append(f"{len(made) - len(found)} of its {len(made)} rows of {kind} are missing")
    return findings


# What entries of a casino say since a later version: one that says nothing of it is older.
_SINCE = frozenset({"from_bank", "seat", "since", "tables", "until"})


_OF_SEALS = {"seal": ("seal",), "seal_key": ("key of seals",)}


def house_findings(said: Row, facts: Sequence[HouseFact]) -> list[str]:
    """Compare an entry of a casino's journal with the rows that it made: each says what the entry must have said."""
    findings = []
    body, type = said.get("body", {}), str(said.get("type"))
    for fact in facts:
        differing = [
            f"{name} is {value!r}, was {body.get(name)!r}"
            for name, value in fact.said.items()
            if body.get(name) != value and (name in body or name not in _SINCE)
        ]
        for name, value in (("author", fact.author), ("happened_at", fact.at)):
            if value is not None and value != said.get(name):
                differing.append(f"{name} is {value!r}, was {said.get(name)!r}")
        if fact.type != type:
            findings.append(f"no entry made this {fact.kind}")
        elif differing:
            findings.append(f"a {fact.kind} was changed: {', '.join(differing)}")
    there = {fact.kind for fact in facts}
    made = [*kinds_made(type, body), *_OF_SEALS.get(type, ())]
    findings += [f"its {kind} is missing" for kind in made if kind not in there]
    return findings


def _comparable(row: Row) -> str:
    return json.dumps(row, sort_keys=True, default=str)


def _say(row: Row) -> str:
    names = ("name", "bet", "position", "card", "outcome", "number")
    return " ".join(f"{name} {row[name]}" for name in names if row.get(name) is not None)


def _nearest(row: Row, made: Iterable[Row], columns: set[str]) -> str:
    """Say in which columns the row differs from the one it must have been."""
    best = min(made, key=lambda each: sum(each.get(name) != row[name] for name in columns), default=None)
    if best is None:
        return ""
    differences = [
        f"{name} is {row[name]!r}, was {best.get(name)!r}" for name in sorted(columns) if best.get(name) != row[name]
    ]
    return f" ({', '.join(differences)})" if differences else " (once too often)"
