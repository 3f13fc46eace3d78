"""The casekeep of a table as everybody may see it: what is undealt, and nothing that is not on the cloth.

No seat, no bet, no sum, no name of a person; and never the order of undealt cards (C-3): counts by rank and suit.
"""

from dataclasses import asdict, dataclass
from typing import Any

from tables.queries.console import console_state
from tables.rules.cards import RANKS
from tables.rules.shoe import LOWEST_RANK


@dataclass(frozen=True, slots=True)
class RankView:
    """A rank: `state` is live, dead (nothing left) or absent (not in the deck); `lies` what its card does now.

    `undealt` of its `copies`; `full` and `left` are the same by suit, in the order clubs, diamonds, hearts, spades.
    """

    rank: str
    state: str
    lies: str | None
    copies: int
    undealt: int
    full: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Casekeep:
    """A table's casekeep as of the journal's `sequence`. `deal` and `turn` are null before the first deal."""

    sequence: int
    table: str
    name: str
    game: str
    state: str
    deal: str | None
    turn: int | None
    finished: bool
    undealt: int
    ranks: tuple[RankView, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


def casekeep(code: str) -> Casekeep:
    """Read the casekeep of a table. Raises: UnknownTableError."""
    whole = console_state(code)
    table, deal = whole.table, whole.deal
    size = int(table.rules.get("deck", 52)) * int(table.rules.get("decks", 1)) if deal is None else deal.size
    # Only full packs are mixed. Rules: C-2.
    copies, lowest = (1, LOWEST_RANK[size]) if size in LOWEST_RANK else (size // 52, 0)
    full = tuple(copies if number >> 2 >= lowest else 0 for number in range(52))
    left = full if deal is None else deal.undealt
    lies = {} if deal is None or deal.finished else _lying(deal.odd, None if deal.turn_open else deal.even)
    return Casekeep(
        sequence=whole.sequence,
        table=table.code,
        name=table.name,
        game=table.game,
        state=table.state,
        deal=None if deal is None else deal.deal,
        turn=None if deal is None else deal.turn,
        finished=deal is not None and deal.finished,
        undealt=sum(left),
        ranks=tuple(
            _rank(rank, full[4 * at : 4 * at + 4], left[4 * at : 4 * at + 4], lies) for at, rank in enumerate(RANKS)
        ),
    )


def _rank(rank: str, full: tuple[int, ...], left: tuple[int, ...], lies: dict[str, str]) -> RankView:
    state = "absent" if not any(full) else "live" if any(left) else "dead"
    return RankView(rank, state, lies.get(rank), sum(full), sum(left), full, left)


def _lying(odd: str | None, even: str | None) -> dict[str, str]:
    """Name the ranks on the cloth; a split is the odd card's."""
    lies = {even[0]: "even"} if even else {}
    return lies | ({odd[0]: "odd"} if odd else {})
