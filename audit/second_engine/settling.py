"""What becomes of the bets of a deal: each looks up the cards that touch it. It replays no turn and keeps no state.

Whether a card is the odd or the even one of its turn, a split, the last of the deal: all of it is arithmetic on its
position. A suit bet needs one fold, over the positions where the rank bets of its seat were settled: only a card that
settles such a bet can touch it (T-4, T-6).
"""

from bisect import bisect_right
from collections.abc import Generator, Iterator

from audit.second_engine.facts import BetRow, Facts, Settled
from audit.second_engine.house_rules import HouseRules

# Where a settlement comes within its position: by the card, by a deed on one bet, by the deal's end (C-14).
_BY_CARD, _BY_DEED, _AT_THE_END = 0, 1, 2
_BLACK = "CS"

_Placed = tuple[int, int, int, Settled]  # position, phase, order within it


def settle(rules: HouseRules, facts: Facts) -> list[Settled]:
    """Say what every bet of a deal came to so far, in the order of C-14."""
    placed = list(_stos(rules, facts) if rules.game == "stos" else _ranks_alone(rules, facts))
    placed.sort()
    return [settled for *_, settled in placed]


def _complete(facts: Facts) -> int:
    """Return the position of the last even card that was played."""
    return (len(facts.ranks) - facts.pocket) // 2 * 2


def _first(ranks: str, rank: str | None, after: int) -> int:
    """Return the position of the first card of a rank behind a position, or 0."""
    return 0 if rank is None else ranks.find(rank, after) + 1


def _is_split(ranks: str, position: int) -> bool:
    return position % 2 == 1 and ranks[position] == ranks[position - 1]


def _gone(facts: Facts, bet: BetRow, order: int, standing: int, end: str | None) -> _Placed | None:
    """Return how a bet that no card closed left the deal: by a deed, or with the deal; or not yet."""
    left = facts.departures.get(bet.name)
    if left is not None:
        position, phase, order, outcome = left.position, _BY_DEED, left.order, left.outcome
    elif end is not None:
        position, phase, outcome = _complete(facts), _AT_THE_END, end
    else:
        return None
    turn = position // 2
    return position, phase, order, Settled(turn, position, bet.name, outcome, standing, 0, 0, standing, 0)


def _ranks_alone(rules: HouseRules, facts: Facts) -> Iterator[_Placed]:
    """Settle the games whose bets are on a card. Rules: S-1 to S-9, P-1 to P-7, F-1 to F-11."""
    ranks, complete = facts.ranks, _complete(facts)
    played = len(ranks) - facts.pocket
    end = "void" if facts.closing == "misdeal" else None
    pharaon = rules.game == "pharaon"
    won: dict[str, tuple[str | None, str | None, int]] = {}  # rank, suit and what went back, of each win
    for order, bet in enumerate(facts.bets):
        rank, suit, stake = bet.rank, bet.suit, bet.amount
        if bet.kind == "sealed":
            card = facts.opened.get(bet.name, "")
            rank, suit = card[:1] or None, card[1:] or None
        elif bet.of in won:
            rank, suit, stake = won[bet.of]
        position = _first(ranks, rank, bet.after)
        left = facts.departures.get(bet.name)
        if position and (left is None or position <= left.position):
            if position <= complete:
                if pharaon:
                    settled = _pharaon(rules, facts, position, bet.name, suit, stake)
                else:
                    settled = _even_money(ranks, position, bet.name, stake)
                if settled.outcome == "win":
                    won[bet.name] = rank, suit, settled.returned
                yield position, _BY_CARD, order, settled
                continue
            if position > played and rules.pocket:
                turn = (position + 1) // 2
                yield position, _BY_CARD, order, Settled(turn, position, bet.name, "pocket", stake, 0, stake, 0, 0)
                continue
        gone = _gone(facts, bet, order, stake, end)
        if gone is not None:
            yield gone


def _even_money(ranks: str, position: int, name: str, stake: int) -> Settled:
    """Settle at odds of one to one. Rules: S-2 to S-4, P-5, T-5."""
    turn = (position + 1) // 2
    if position % 2 == 0:
        return Settled(turn, position, name, "win", stake, stake, 0, 2 * stake, 0)
    outcome = "split" if _is_split(ranks, position) else "lose"
    return Settled(turn, position, name, outcome, stake, 0, stake, 0, 0)


def _pharaon(rules: HouseRules, facts: Facts, position: int, name: str, suit: str | None, stake: int) -> Settled:
    """Settle with the options of a bank: the factors multiply, and are rounded once. Rules: F-3 to F-9."""
    turn = (position + 1) // 2
    if rules.last_card_void and position == rules.cards:
        return Settled(turn, position, name, "push", stake, 0, 0, stake, 0)
    turned, (times, parts) = rules.positions.get(position, (False, (1, 1)))
    if rules.thirds:
        times, parts = times * _thirds(suit, facts.suits[position - 1]), parts * 3
    split = _is_split(facts.ranks, position)
    if not split and (position % 2 == 0) != turned:
        if position == 2:
            extra, of = rules.bonus
            times, parts = times * of + extra * parts, parts * of
        paid = _rounded(stake * times, parts, rules.chip, up=rules.favours == "player")
        return Settled(turn, position, name, "win", stake, paid, 0, stake + paid, 0)
    if split:
        if turned:  # a split is never turned round: F-5 counts 1 there, the suit as ever
            times, parts = (_thirds(suit, facts.suits[position - 1]), 3) if rules.thirds else (1, 1)
        if not (rules.last_card_void and position == rules.cards - 1):
            times, parts = times * rules.split_take[0], parts * rules.split_take[1]
    if rules.half_stake and position == 1:
        parts *= 2
    taken = _rounded(stake * times, parts, rules.chip, up=rules.favours == "house")
    return Settled(turn, position, name, "split" if split else "lose", stake, 0, taken, stake - taken, 0)


def _thirds(suit: str | None, of_card: str) -> int:
    """Return how many thirds of the kush count. Rules: F-6."""
    if suit == of_card:
        return 3
    return 2 if suit is not None and (suit in _BLACK) == (of_card in _BLACK) else 1


def _rounded(amount: int, parts: int, chip: int, *, up: bool) -> int:
    """Return a fraction of an amount as whole chips. Rules: C-7."""
    unit = parts * chip
    return (-(-amount // unit) if up else amount // unit) * chip


def _stos(rules: HouseRules, facts: Facts) -> Iterator[_Placed]:
    """Settle rank bets by look-up, then suit bets by what settled them. Rules: T-1 to T-14."""
    ranks, complete = facts.ranks, _complete(facts)
    end = {"end": "returned", "misdeal": "void"}.get(facts.closing or "")
    touching: dict[int, list[int]] = {}  # by seat: where its rank bets were settled, splits left out (T-12)
    for order, bet in enumerate(facts.bets):
        if bet.kind == "suit":
            continue
        position = _first(ranks, bet.rank, bet.after)
        if 0 < position <= complete:
            settled = _even_money(ranks, position, bet.name, bet.amount)
            if settled.outcome != "split":
                touching.setdefault(bet.seat, []).append(position)
            yield position, _BY_CARD, order, settled
            continue
        gone = _gone(facts, bet, order, bet.amount, end)
        if gone is not None:
            yield gone
    for positions in touching.values():
        positions.sort()
    for order, bet in enumerate(facts.bets):
        if bet.kind == "suit":
            hits = _hits(facts, bet, touching.get(bet.seat, []))
            standing = yield from _suit_bet(rules, bet, order, hits)
            if standing is not None:
                gone = _gone(facts, bet, order, standing, end)
                if gone is not None:
                    yield gone


def _hits(facts: Facts, bet: BetRow, positions: list[int]) -> list[tuple[int, bool]]:
    """Return where a suit bet is touched and whether in full colour; plain cards do nothing (T-11)."""
    left = facts.departures.get(bet.name)
    until = len(positions) if left is None else bisect_right(positions, left.position)
    hits = []
    for position in positions[bisect_right(positions, bet.after) : until]:
        suit = facts.suits[position - 1]
        if suit == bet.suit:
            hits.append((position, True))
        elif (suit in _BLACK) == (str(bet.suit) in _BLACK):
            hits.append((position, False))
    return hits


def _suit_bet(
    rules: HouseRules, bet: BetRow, order: int, hits: list[tuple[int, bool]]
) -> Generator[_Placed, None, int | None]:
    """Fold a suit bet over its hits, and return what still stands of it, or nothing once it is closed.

    `judged` is the stake that a card is judged on: what stands, or with `two_hits: opening` what stood before the turn.
    """
    stands: int | None = bet.amount
    halvings: list[int] = []  # what each halving took that was not undone
    judged, judged_turn = bet.amount, 0
    for position, full in hits:
        turn = (position + 1) // 2
        same_turn = turn == judged_turn
        if stands is None and not (same_turn and rules.two_hits == "opening"):
            return None
        stake = stands or 0
        if not same_turn or rules.two_hits == "sequence":
            judged, judged_turn = stake, turn
        paid = taken = returned = 0
        if position % 2:
            outcome = "lose" if full else "half_lose"
            taken = judged if full else _rounded(judged, 2, rules.chip, up=rules.favours == "house")
            stands = None if full or stake - taken < rules.minimum else stake - taken
            returned = stake - taken if stands is None else 0
            if taken:
                halvings.append(taken)
        else:
            outcome = "win" if full else "half_win"
            half = _rounded(judged, 2, rules.chip, up=rules.favours == "player")
            reduced = not full and judged < bet.amount and rules.half_win_reduced != "pay"
            paid = judged if full else half
            if reduced and rules.half_win_reduced == "restore":
                paid = halvings.pop()
            if stands is None:
                returned = paid
            elif reduced:
                stands += paid
            elif full or rules.half_win == "close":
                returned, stands = stake + paid, None
            else:
                returned = paid
        settled = Settled(turn, position, bet.name, outcome, stake, paid, taken, returned, stands or 0)
        yield position, _BY_CARD, order, settled
    return stands
