"""How many bets the engine settles a second on one core: refusals, limits and conservation included.

The events of whole deals are played and kept before the clock starts; what is timed is TableState.apply alone.
Beside it stands the same machine's speed at a fixed piece of plain Python, so that two machines can be compared
by the ratio.
"""

import gc
import random
import time
from collections.abc import Callable, Iterator

from tables.rules.cards import CARDS, RANKS, SUITS
from tables.rules.events import Cut, DrawCard, EndDeal, Event, OpenDeal, PlaceBet, ShowPocket, Table
from tables.rules.refusals import Refusal
from tables.rules.table import TableState

SEED = 1
RUNS = 5
TARGET = 100_000


def stuss(dice: random.Random) -> Iterator[Event]:
    """Ten seats, about four bets a turn; the pocket at the end."""
    yield Table("T1", "stuss", "RUB", "100", "10000", "1")
    for number in range(150):
        yield OpenDeal(str(number))
        shoe = dice.sample(CARDS, 52)
        for turn in range(24):
            alive = sorted({card.rank for card in shoe[2 * turn :]})
            for bet in range(10):
                rank, amount = RANKS[dice.choice(alive)], dice.choice(("100", "500", "1000"))
                name = f"b{turn}-{bet}"
                if dice.random() < 0.4:
                    yield PlaceBet(name, 1 + bet, amount, rank)
            yield from (DrawCard(card.text) for card in shoe[2 * turn : 2 * turn + 2])
        yield ShowPocket(tuple(card.text for card in shoe[48:]))


def stos(dice: random.Random) -> Iterator[Event]:
    """Six decks, ten seats with rank and suit bets."""
    yield Table("T3", "stos", "RUB", "100", "10000", "100")
    for number in range(30):
        yield OpenDeal(str(number))
        shoe = dice.sample(CARDS * 6, 312)
        for turn in range(150):
            for bet in range(5):
                seat, amount = 1 + dice.randrange(10), dice.choice(("300", "500", "1000"))
                on = {"suit": dice.choice(SUITS)} if dice.random() < 0.2 else {"rank": dice.choice(RANKS)}
                yield PlaceBet(f"b{turn}-{bet}", seat, amount, **on)
            yield from (DrawCard(card.text) for card in shoe[2 * turn : 2 * turn + 2])
        yield EndDeal()


def pharaon(dice: random.Random) -> Iterator[Event]:
    """Ten punters with three bets each, thirds and positions; dealt until none stands."""
    rules = {"thirds": True, "bonus": "1/2", "half_stake": True, "positions": {"3": "1/2", "4": "2"}}
    yield Table("P1", "pharaon", "RUB", "100", "10000", "1", rules=rules)
    for number in range(300):
        yield OpenDeal(str(number))
        shoe = dice.sample(CARDS, 52)
        yield from (PlaceBet(f"b{n}", 1 + n % 10, "300", card=dice.choice(CARDS).text) for n in range(30))
        yield Cut()
        yield from (DrawCard(card.text) for card in shoe)
        yield EndDeal()


def _played(game: Iterator[Event], dice: random.Random) -> list[Event]:
    """Return the events that a table accepts, no card where no bet stands, and after one in thirty a refused bet."""
    state, events = TableState(), list[Event]()
    for event in game:
        idle = state.deal is not None and not state.deal.standing and not state.deal.turn_open
        if isinstance(event, DrawCard) and idle and state.deal is not None and state.deal.betting_closed:
            continue
        try:
            state.apply(event)
        except Refusal:
            continue
        events.append(event)
        if dice.random() < 1 / 30:
            events.append(PlaceBet("refused", 1, "7", "Q"))
    return events


def _settle(events: list[Event]) -> tuple[int, int, float]:
    """Return (settlements, refusals, seconds) of one run over the events."""
    state = TableState()
    settled = refused = 0
    start = time.perf_counter()
    for event in events:
        try:
            settled += len(state.apply(event).settlements)
        except Refusal:
            refused += 1
    return settled, refused, time.perf_counter() - start


def _plain_python() -> float:
    """Return seconds for a fixed piece of plain Python, the unit that machines are compared in."""
    start = time.perf_counter()
    counts: dict[int, int] = {}
    for number in range(300_000):
        counts[number & 255] = counts.get(number & 255, 0) + number
    return time.perf_counter() - start


def main() -> None:
    """Print the best of a few runs for each game, and what share of the target it reaches."""
    games: list[Callable[[random.Random], Iterator[Event]]] = [stuss, stos, pharaon]
    for game in games:
        events = _played(game(random.Random(SEED)), random.Random(SEED))
        gc.collect()
        gc.freeze()  # the events are there before the clock starts: they are not swept while it runs
        runs = [(_settle(events), _plain_python()) for _ in range(RUNS)]
        (settled, refused, seconds), _ = min(runs, key=lambda run: run[0][2])
        unit = min(plain for _, plain in runs)
        rate = settled / seconds
        print(
            f"{game.__name__:8} {rate:9,.0f} settled bets/s = {rate / TARGET:.2f} of the target; "
            f"{settled:,} settled, {refused:,} refused, {len(events):,} events; "
            f"{seconds / settled / (unit / 300_000):.0f} plain loops a settled bet"
        )
