"""Reads the deals of a period for the shuffle lab. It judges nothing and writes nothing."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from audit.checks.shuffles import Group, Shuffled, examine, judged_whole
from tables.models import Card, Deal, DeckStep, Entry, Text
from tables.rules import games, house_rules

# The last so many deals are read: an evening of sixty tables, or half a year of one.
MOST_DEALS = 3000


@dataclass(frozen=True, slots=True)
class Lab:
    """What the lab found, and how many deals it looked at and left aside."""

    groups: tuple[Group, ...]
    judged: int
    left_aside: int


def look(casino_id: int, *, table: str = "", since: date | None = None, until: date | None = None) -> Lab:
    """Judge the shuffles of a period by table, shoe, dealer and way of shuffling; gaming days, both inclusive."""
    deals = Deal.objects.filter(table__casino=casino_id).select_related("table", "rules_version")
    if table:
        deals = deals.filter(table__code=table)
    if since is not None:
        deals = deals.filter(gaming_date__gte=since)
    if until is not None:
        deals = deals.filter(gaming_date__lte=until)
    chosen = sorted(deals.order_by("-id")[:MOST_DEALS], key=lambda deal: (deal.table_id, deal.number))
    judged = list(_shuffled(chosen))
    return Lab(examine(judged), len(judged), len(chosen) - len(judged))


def _shuffled(deals: list[Deal]) -> Iterator[Shuffled]:
    cards: dict[int, dict[int, str | None]] = defaultdict(dict)
    for deal_id, position, card in (
        Card.objects.filter(deal__in=deals).order_by("revision").values_list("deal_id", "position", "card")
    ):
        cards[deal_id][position] = card
    opened = _openings(deals)
    shoes = _Shoes({deal.table_id for deal in deals})
    before: dict[int, list[str]] = {}
    for deal in deals:
        pack = _pack(deal)
        found = [card for _position, card in sorted(cards[deal.pk].items()) if card is not None]
        last, before[deal.table_id] = before.get(deal.table_id), found
        dealer, way, at = opened.get((deal.table_id, deal.sequence), ("", "", None))
        if judged_whole(len(found), deal.table.game, pack):
            groups = {"table": deal.table.name, "shoe": shoes(deal.table_id, at), "dealer": dealer, "way": way}
            yield Shuffled(found, last, {kind: name for kind, name in groups.items() if name}, pack)


class _Shoes:
    """Which decks were in service at a table at a moment: its shoe, by their serials."""

    def __init__(self, tables: Collection[int]) -> None:
        self._spells: dict[int, list[tuple[datetime, datetime | None, str]]] = defaultdict(list)
        came: dict[int, tuple[int, datetime, str]] = {}
        steps = DeckStep.objects.filter(deck__steps__table__in=tables).distinct().order_by("deck_id", "number")
        for deck, table, at, serial in steps.values_list("deck_id", "table_id", "done_at", "deck__serial"):
            if deck in came:
                before, since, _serial = came.pop(deck)
                self._spells[before].append((since, at, serial))
            if table is not None:
                came[deck] = table, at, serial
        for table, since, serial in came.values():
            self._spells[table].append((since, None, serial))

    def __call__(self, table: int, at: datetime | None) -> str:
        """Name the decks in service, in order; nothing where none was, or where no moment is known."""
        if at is None:
            return ""
        found = (serial for since, until, serial in self._spells[table] if since <= at and (not until or at < until))
        return ", ".join(sorted(found))


def _openings(deals: list[Deal]) -> dict[tuple[int, int], tuple[str, str, datetime]]:
    """Say by table and entry who opened a deal, how it was said to be shuffled, and when."""
    journals = {deal.table_id: deal.table.head.journal_id for deal in deals}
    of_table = {journal: table for table, journal in journals.items()}
    sequences = {(journals[deal.table_id], deal.sequence) for deal in deals}
    columns = ("journal_id", "sequence", "author", "happened_at")
    entries = Entry.objects.filter(journal__in=of_table, type="deal").values_list(*columns)
    texts = Text.objects.filter(journal__in=of_table, field="shuffle", text__isnull=False)
    said = texts.values_list("journal_id", "sequence", "text")
    ways = {(journal, sequence): text for journal, sequence, text in said}
    return {
        (of_table[journal], sequence): (author, ways.get((journal, sequence)) or "", happened_at)
        for journal, sequence, author, happened_at in entries
        if (journal, sequence) in sequences
    }


def _pack(deal: Deal) -> int:
    """Return how many cards lie in the shoe of a deal."""
    terms = json.loads(deal.rules_version.terms)
    game = games.build(house_rules.parse(deal.table.game, terms.get("rules", {})))
    return game.deck * game.decks
