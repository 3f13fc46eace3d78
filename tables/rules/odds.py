"""Exact chances, expectation and variance, found by playing the lines of the built game. It never looks at an order.

Everything is the bank's result: what it takes less what it pays. Chances are over all orders of the undealt cards,
each alike (C-3). Rules: Odds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Final, Literal

from tables.rules.bet import Bet
from tables.rules.cards import COLOURS, Colour
from tables.rules.deal import Deal
from tables.rules.events import DrawCard
from tables.rules.paytable import LAST_HALVING, BetKind, Effect, Game, Line, Side
from tables.rules.settlement import Cashier
from tables.rules.terms import Terms

# Of four copies of a rank one is of the bet's suit, one of its colour, two of the other colour. Where fewer are left
# and nobody says which, each suit is as likely to be missing as any other, so the shares are the same.
_SHARES: Final[tuple[tuple[Colour, int], ...]] = (("full", 1), ("half", 1), ("plain", 2))
_UNTOUCHED: Final = 0
_TOUCH: Final[dict[Colour, int]] = {"full": 1, "half": 2, "plain": 3}
_TOUCHES: Final[tuple[Colour | None, ...]] = (None, "full", "half", "plain")
# Chips of a suit bet that stands for one which every halving divides: the rest of 64 halvings is below any decimal.
_DIVISIBLE: Final = 2**64


class ImpossibleShoeError(ValueError):
    """A question about cards that cannot lie so; its text is a sentence for a person."""


# -- a bet on a rank, left standing until it is settled


@dataclass(frozen=True, slots=True)
class BetOdds:
    """Chances of a rank bet's outcomes, and the bank's result of one unit of stake, C-7's rounding left aside."""

    win: Fraction
    lose: Fraction
    split: Fraction
    pocket: Fraction
    push: Fraction
    edge: Fraction
    variance: Fraction


def full_shoe(game: Game) -> tuple[int, int]:
    """Return the cards and the copies of each rank before the first card."""
    return game.size, 4 * game.decks


def check_shoe(game: Game, undealt: int, copies: int) -> None:
    """Raises ImpossibleShoeError where between two turns of the game the cards cannot lie so.

    Whether the other ranks can fill the rest is not asked: tables of odds are wanted for every number of copies.
    """
    size, most = full_shoe(game)
    if not 1 <= copies <= most:
        raise ImpossibleShoeError(f"A shoe of {game.code} holds 1 to {most} undealt copies of a rank, not {copies}.")
    if undealt % 2:
        raise ImpossibleShoeError(f"Between two turns an even number of cards is undealt, not {undealt}.")
    if undealt > size:
        raise ImpossibleShoeError(f"The shoe of {game.code} holds {size} cards, not {undealt}.")
    if undealt < game.pocket:
        raise ImpossibleShoeError(f"The last {game.pocket} cards are shown at once: {undealt} are never undealt.")
    if copies > undealt:
        raise ImpossibleShoeError(f"{copies} copies cannot be among {undealt} undealt cards.")


def rank_bet_odds(game: Game, undealt: int | None = None, copies: int | None = None) -> BetOdds:
    """Return the odds of a rank bet that stands until a card settles it, dealt to the end of the shoe.

    `undealt` cards, the pocket's included, of which `copies` have the bet's rank; by default the full shoe. The first
    copy decides. Where suits count (F-6) the copies' suits are exchangeable: a card of the rank has the bet's suit,
    its colour and the other colour with 1/4, 1/4 and 1/2, as in a full deck. A paroli is a bet of its own.
    Raises ImpossibleShoeError.
    """
    size, most = full_shoe(game)
    undealt = size if undealt is None else undealt
    copies = most if copies is None else copies
    check_shoe(game, undealt, copies)
    chances: dict[str, Fraction] = dict.fromkeys(("win", "lose", "split", "pocket", "push"), Fraction(0))
    mean = square = Fraction(0)
    for effect, chance in _first_copy(game, undealt, copies):
        assert effect.rest == "returned", "a card of its rank closes a rank bet"
        result = _unrounded(effect)
        chances[effect.outcome] += chance
        mean += chance * result
        square += chance * result * result
    return BetOdds(**chances, edge=mean, variance=square - mean * mean)


def _first_copy(game: Game, undealt: int, copies: int) -> Iterator[tuple[Effect, Fraction]]:
    """Walk the places where the first copy can lie: what the rules do there, and how likely it is."""
    kind = game.kind["rank"]
    colours: tuple[tuple[Colour | None, int], ...] = _SHARES if kind.by_colour else ((None, 4),)
    orders = 4 * comb(undealt, copies)
    for place in range(1, undealt - copies + 2):
        position = game.size - undealt + place
        first = comb(undealt - place, copies - 1)
        both = comb(undealt - place - 1, copies - 2) if copies > 1 and place < undealt else 0
        cases: tuple[tuple[Side, bool, int], ...]
        if position > game.played:
            cases = (("pocket", False, first),)
        elif position % 2:
            cases = (("odd", True, both), ("odd", False, first - both))
        else:
            cases = (("even", False, first),)
        for side, split, ways in cases:
            for colour, quarters in colours if ways else ():
                line = kind.line(side, split, colour, position, position == game.size, False)
                yield _decided(line).effect, Fraction(ways * quarters, orders)


def _decided(line: Line | None) -> Line:
    assert line is not None, "a card of its rank always settles a rank bet"
    return line


def _unrounded(effect: Effect) -> Fraction:
    assert isinstance(effect.pay, Fraction)
    return effect.take - effect.pay


def split_per_turn(undealt: int, copies: int) -> Fraction:
    """Return the chance that the next turn is a split of a given rank: what is usually quoted for casino Stos."""
    return Fraction(copies * (copies - 1), undealt * (undealt - 1))


# -- a suit bet of casino Stos


@dataclass(frozen=True, slots=True)
class SuitOdds:
    """The bank's result of a new suit bet, for one unit of its stake.

    next_turn  over the next turn, exact: money that moves, not what the rest is worth afterwards
    life       until a touch closes it
    favours    who gains by it: over its life, and where that is fair, by the next turn (two cards that both touch)
    """

    next_turn: Fraction
    life: Fraction

    @property
    def favours(self) -> Literal["player", "bank", "neither"]:
        gain = self.life or self.next_turn
        return "bank" if gain > 0 else "player" if gain else "neither"


def suit_bet_odds(
    game: Game,
    undealt: int | None = None,
    copies: int | None = None,
    ranks: int = 1,
    amount: int | None = None,
    minimum: int = 1,
) -> SuitOdds:
    """Return the odds of a suit bet whose seat has bets on `ranks` ranks, each with `copies` undealt.

    `amount` and the table's `minimum` are in chips and rounded by C-7; without an amount it is one that every half
    divides and no minimum ends. Suits are exchangeable, as in `rank_bet_odds`. Over its life a touch is odd or even
    alike and comes alone; full 1/4, half 1/4, plain 1/2. The life is exact, save with `half_win_reduced: restore`
    and no amount: there it is no fraction, and right to eighteen digits. Rules: T-6 to T-12.
    Raises ImpossibleShoeError.
    """
    size, most = full_shoe(game)
    undealt = size if undealt is None else undealt
    copies = most if copies is None else copies
    check_shoe(game, undealt, copies)
    if not 1 <= ranks <= 13 or ranks * copies > undealt:
        raise ImpossibleShoeError(f"{ranks} ranks of {copies} copies cannot be among {undealt} undealt cards.")
    stake = _DIVISIBLE if amount is None else amount
    if not 1 <= minimum <= stake:
        raise ImpossibleShoeError(f"A suit bet of {stake} chips cannot stand at a minimum of {minimum}.")
    kind = game.kind["suit"]
    cashier = Cashier(1, minimum, game.fractions)
    fresh = _Stand(stake, stake)
    next_turn = _suit_next_turn(kind, cashier, fresh, undealt, copies, ranks) / stake
    if amount is None and _every_touch_is_fair(kind, cashier, stake):
        life = Fraction(0)  # fair bets one after the other, on whatever stands
    else:
        life = _suit_life(kind, cashier, fresh) / stake
    return SuitOdds(next_turn, life)


@dataclass(frozen=True, slots=True)
class _Stand:
    """How a suit bet stands: what the deal knows of it between two turns."""

    amount: int
    standing: int
    halvings: tuple[int, ...] = ()


def _suit_next_turn(kind: BetKind, cashier: Cashier, stand: _Stand, undealt: int, copies: int, ranks: int) -> Fraction:
    touching = ranks * copies
    alone = 4 * touching * (undealt - touching)  # one of the two cards touches: 1/4 is counted once, here in 4/16
    both = touching * (touching - copies)
    split = 4 * touching * (copies - 1)
    total = 0
    for odd, share in _SHARES:
        total += alone * share * _suit_result(kind, cashier, stand, odd, None, False)
        total += alone * share * _suit_result(kind, cashier, stand, None, odd, False)
        total += split * share * _suit_result(kind, cashier, stand, odd, None, True)
        for even, other in _SHARES:
            total += both * share * other * _suit_result(kind, cashier, stand, odd, even, False)
    return Fraction(total, 16 * undealt * (undealt - 1))


def _suit_result(
    kind: BetKind, cashier: Cashier, stand: _Stand, odd: Colour | None, even: Colour | None, split: bool
) -> int:
    """Return the bank's result of a turn on one suit bet; None: that card does not touch it. Rules: T-6 to T-12."""
    result, standing, base, taken_by_odd = 0, stand.standing, stand.standing, 0
    last_halving = stand.halvings[-1] if stand.halvings else 0
    line = None if odd is None else kind.line("odd", split, odd, 0, False, standing < stand.amount)
    if line is not None:
        paid, taken, _, standing = cashier.amounts(line.effect, standing, base, last_halving)
        result = taken - paid
        if kind.judged_on == "opening":
            taken_by_odd = taken
        else:
            base = standing
            last_halving = taken or last_halving
    if even is None or split or not base:
        return result
    line = kind.line("even", False, even, 0, False, base < stand.amount)
    if line is not None:
        paid, taken, _, _ = cashier.amounts(line.effect, standing, base, taken_by_odd or last_halving)
        result += taken - paid
    return result


def _touches(kind: BetKind, cashier: Cashier, stand: _Stand) -> Iterator[tuple[int, int, _Stand | None]]:
    """Play one touch by a card alone, every way: eighths of its chance, the bank's result, how the bet then stands."""
    last_halving = stand.halvings[-1] if stand.halvings else 0
    for side in ("odd", "even"):
        for colour, share in _SHARES:
            line = kind.line(side, False, colour, 0, False, stand.standing < stand.amount)
            if line is None:
                yield share, 0, stand
                continue
            paid, taken, _, standing = cashier.amounts(line.effect, stand.standing, stand.standing, last_halving)
            halvings = stand.halvings
            if taken:
                halvings = (*halvings, taken)
            elif line.effect.pay == LAST_HALVING:
                halvings = halvings[:-1]
            yield share, taken - paid, _Stand(stand.amount, standing, halvings) if standing else None


def _every_touch_is_fair(kind: BetKind, cashier: Cashier, stake: int) -> bool:
    """Whether a touch gains nobody anything, at the original amount and below it: effects are shares of the stake."""
    stands = (_Stand(stake, stake), _Stand(stake, stake // 2, (stake // 2,)))
    return not any(sum(share * result for share, result, _ in _touches(kind, cashier, each)) for each in stands)


def _suit_life(kind: BetKind, cashier: Cashier, fresh: _Stand) -> Fraction:
    """Return the bank's expected result until the bet is closed: the touches solved as linear equations."""
    remembers = any(line.effect.pay == LAST_HALVING for line in kind.lines)
    equations: dict[_Stand, tuple[dict[_Stand, Fraction], Fraction]] = {}
    found = [fresh]
    for stand in found:  # grows while it is walked
        here, gain = {stand: Fraction(1)}, Fraction(0)
        for share, result, after in _touches(kind, cashier, stand):
            gain += Fraction(share * result, 8)
            if after is not None:
                after = after if remembers else _Stand(after.amount, after.standing)
                here[after] = here.get(after, Fraction(0)) - Fraction(share, 8)
                if after not in found:
                    found.append(after)
        equations[stand] = here, gain
    for stand in reversed(found[1:]):  # those found last lead to few others: put what they are worth into the rest
        here, gain = equations.pop(stand)
        scale = 1 / here.pop(stand)
        for others, (row, value) in equations.items():
            factor = row.pop(stand, None)
            if factor is not None:
                for state, weight in here.items():
                    row[state] = row.get(state, Fraction(0)) - factor * scale * weight
                equations[others] = row, value - factor * scale * gain
    here, gain = equations[fresh]
    return gain / here[fresh]


# -- a turn about to be dealt, on everything that stands


@dataclass(frozen=True, slots=True)
class TurnOdds:
    """The bank's result of one turn: minor units, and their square."""

    expectation: Fraction
    variance: Fraction


Named = tuple[int | None, int | None]  # rank and suit of a bet
RankBet = tuple[Bet, int, int | None]  # with the rank that it stands on and the suit that it names, if any
_NO_COLOURS: Final[tuple[Colour | None, ...]] = (None,) * 4
_NOTHING: Final[Mapping[str, Named]] = {}


class _Cell:
    """Undealt cards that do the same to every bet: what they win the bank as odd card, even card, and in a split."""

    __slots__ = ("cards", "even", "odd", "rank", "split", "touch")

    def __init__(self, rank: int, cards: int, touch: list[int]) -> None:
        self.rank = rank
        self.cards = cards
        self.odd = self.even = self.split = 0
        self.touch = touch  # how it touches each suit bet, an index of _TOUCHES


def turn_expectation(
    terms: Terms,
    bets: Iterable[Bet],
    undealt: Sequence[int],
    position: int,
    opened: Mapping[str, Named] = _NOTHING,
) -> TurnOdds:
    """Return the bank's expectation and variance over the next turn, exact, C-7's rounding included.

    `bets` stand, `undealt` counts the cards 0 to 51 (the pocket's among them), `position` is that of the odd card. A
    sealed bet counts with the rank and suit that `opened` has for its name, and not at all where it has none.
    """
    looked_at = _look(terms, bets, undealt, position, opened)
    if looked_at is None:
        return TurnOdds(Fraction(0), Fraction(0))
    return _moments(sum(undealt), *looked_at)


def turn_law(
    terms: Terms,
    bets: Iterable[Bet],
    undealt: Sequence[int],
    position: int,
    opened: Mapping[str, Named] = _NOTHING,
) -> dict[int, int]:
    """Return, of all ordered pairs of undealt cards, how many come to each result of the bank.

    The arguments are those of `turn_expectation`; its figures are the moments of this law.
    """
    total = sum(undealt)
    looked_at = _look(terms, bets, undealt, position, opened)
    if looked_at is None:
        return {0: total * (total - 1)}
    copies, cells, interplay = looked_at
    others = total - sum(copies.values())
    ways = {0: others * (others - 1)}
    every = [cell for of_rank in cells.values() for cell in of_rank if cell.cards]
    for first in every:
        rows = [extra[touch] for extra, touch in zip(interplay, first.touch, strict=True)]
        for result, cards in (
            (first.odd, others),
            (first.even, others),
            (first.split, copies[first.rank] - 1),
        ):
            ways[result] = ways.get(result, 0) + first.cards * cards
        for second in every:
            if first.rank != second.rank:
                extra = sum([row[touch] for row, touch in zip(rows, second.touch, strict=True)])
                result = first.odd + second.even + extra
                ways[result] = ways.get(result, 0) + first.cards * second.cards
    return {result: count for result, count in ways.items() if count}


Interplay = list[list[list[int]]]


def _look(
    terms: Terms, bets: Iterable[Bet], undealt: Sequence[int], position: int, opened: Mapping[str, Named]
) -> tuple[dict[int, int], dict[int, list[_Cell]], Interplay] | None:
    """Say what each undealt card would do, and how many are left of each rank that a bet is on. None: no rank bet."""
    assert position % 2, "a turn begins with an odd card"
    assert position < terms.game.played, "the pocket is no turn"
    ranked: list[RankBet] = []
    suited: list[Bet] = []
    for bet in bets:
        rank, suit = opened.get(bet.name, (None, None)) if bet.sealed else (bet.rank, bet.suit)
        if rank is not None:
            ranked.append((bet, rank, suit))
        elif not bet.sealed:
            suited.append(bet)
    if not ranked:
        return None  # suit bets sleep without a rank bet (T-13)
    copies = {rank: sum(undealt[rank * 4 : rank * 4 + 4]) for _, rank, _ in ranked}
    by_suit = bool(suited) or terms.game.kind["rank"].by_colour
    cells: dict[int, list[_Cell]] = {
        rank: [_Cell(rank, undealt[rank * 4 + suit], []) for suit in range(4)] if by_suit else [_Cell(rank, count, [])]
        for rank, count in copies.items()
    }
    _play_rank_bets(terms, ranked, position, cells)
    return copies, cells, _play_suit_bets(terms, suited, ranked, cells)


def _play_rank_bets(terms: Terms, ranked: list[RankBet], position: int, cells: dict[int, list[_Cell]]) -> None:
    """Add what each card of its rank does to each rank bet: as odd card, as even card, as odd card of a split."""
    kind, amounts = terms.game.kind["rank"], terms.cashier.amounts
    last = position + 1 == terms.game.size
    effects: dict[Colour | None, list[Effect]] = {}
    for bet, rank, suit in ranked:
        standing = bet.standing
        colours = COLOURS[suit] if kind.by_colour and suit is not None else _NO_COLOURS
        results: dict[Colour | None, list[int]] = {}
        for cell, colour in zip(cells[rank], colours, strict=False):  # one cell stands for four suits that do the same
            if colour not in results:
                if colour not in effects:
                    lines = (
                        kind.line("odd", False, colour, position, False, False),
                        kind.line("even", False, colour, position + 1, last, False),
                        kind.line("odd", True, colour, position, False, False),
                    )
                    effects[colour] = [_decided(line).effect for line in lines]
                made = [amounts(effect, standing, standing, 0) for effect in effects[colour]]
                results[colour] = [taken - paid for paid, taken, _, _ in made]
            odd, even, split = results[colour]
            cell.odd += odd
            cell.even += even
            cell.split += split


def _play_suit_bets(terms: Terms, suited: list[Bet], ranked: list[RankBet], cells: dict[int, list[_Cell]]) -> Interplay:
    """Add what a card alone does to the suit bets; return, for each of them, what two touches do beyond their sum.

    A card touches a suit bet by a rank on which its seat has a bet at the start of the turn. Rules: T-6.
    """
    interplay: Interplay = []
    for bet in suited:
        assert bet.suit is not None
        stand = _Stand(bet.amount, bet.standing, tuple(bet.halvings))
        turn = [
            [_suit_result(bet.kind, terms.cashier, stand, odd, even, False) for even in _TOUCHES] for odd in _TOUCHES
        ]
        in_split = [_suit_result(bet.kind, terms.cashier, stand, odd, None, True) for odd in _TOUCHES]
        interplay.append([[turn[odd][even] - turn[odd][0] - turn[0][even] for even in range(4)] for odd in range(4)])
        ranks = {rank for other, rank, _ in ranked if other.seat == bet.seat}
        for rank, of_rank in cells.items():
            for suit, cell in enumerate(of_rank):
                touch = _TOUCH[COLOURS[bet.suit][suit]] if rank in ranks else _UNTOUCHED
                cell.touch.append(touch)
                cell.odd += turn[touch][0]
                cell.even += turn[0][touch]
                cell.split += in_split[touch]
    return interplay


def _moments(total: int, copies: dict[int, int], cells: dict[int, list[_Cell]], interplay: Interplay) -> TurnOdds:
    """Sum the result and its square over all ordered pairs of cards.

    Of two ranks the result is odd + even (+ interplay), of one rank it is split; every other card does nothing.
    """
    mean = square = odd_sum = even_sum = same_rank = 0
    for rank, of_rank in cells.items():
        others, again = total - copies[rank], copies[rank] - 1
        odd_of_rank = even_of_rank = 0
        for cell in of_rank:
            cards, odd, even, split = cell.cards, cell.odd, cell.even, cell.split
            odd_of_rank += cards * odd
            even_of_rank += cards * even
            mean += cards * (others * (odd + even) + again * split)
            square += cards * (others * (odd * odd + even * even) + again * split * split)
        odd_sum += odd_of_rank
        even_sum += even_of_rank
        same_rank += odd_of_rank * even_of_rank
    square += 2 * (odd_sum * even_sum - same_rank)
    if any(any(map(any, extra)) for extra in interplay):
        every = [cell for of_rank in cells.values() for cell in of_rank if cell.cards and any(cell.touch)]
        for first in every:
            rows = [extra[touch] for extra, touch in zip(interplay, first.touch, strict=True)]
            for second in every:
                if first.rank == second.rank:
                    continue
                extra = sum([row[touch] for row, touch in zip(rows, second.touch, strict=True)])
                if extra:
                    pairs = first.cards * second.cards
                    mean += pairs * extra
                    square += pairs * extra * (2 * (first.odd + second.even) + extra)
    pairs = total * (total - 1)
    return TurnOdds(Fraction(mean, pairs), Fraction(square * pairs - mean * mean, pairs * pairs))


# -- a deal on record


@dataclass(frozen=True, slots=True)
class Step:
    """A turn that was dealt, or the pocket: what the bank could expect just before it, and what it got.

    position      of its last card
    undealt       cards undealt before it, the pocket's included
    split_chance  that its two cards are of one rank, whatever stands on it
    """

    turn: int
    position: int
    pocket: bool
    undealt: int
    expectation: Fraction
    variance: Fraction
    split_chance: Fraction
    split: bool
    actual: int


def deal_steps(deal: Deal) -> list[Step]:
    """Return the steps of a deal as it is recorded now, corrections included: every complete turn, then the pocket.

    A sealed bet counts with the card it was opened with; one never opened was settled by no card and counts nothing.
    The pocket is no surprise once all other cards lie: its expectation is what it takes, its variance 0.
    """
    return DealSteps(deal).steps()


def deal_laws(deal: Deal) -> Iterator[dict[int, int]]:
    """Yield the law of the bank's result of each step of a deal, in their order: ways to each amount.

    As in `deal_steps`, whose expectations and variances are those of these laws.
    """
    again, named = Deal(deal.terms, deal.name, deal.bank_before), _named(deal)
    complete = len(deal.cards) // 2
    for act in deal.acts:
        dealt = len(again.cards)
        if isinstance(act, DrawCard) and dealt % 2 == 0 and dealt // 2 < complete:
            yield turn_law(deal.terms, again.standing.values(), again.undealt, dealt + 1, named)
        again.apply(act)
    if deal.pocket:
        played = deal.terms.game.played
        yield {sum(each.taken - each.paid for each in deal.settlements if each.position > played): 1}


class DealSteps:
    """The steps of a deal that goes on: what a turn could expect is found once, however often one asks.

    A correction makes another deal, of which nothing here holds. `known` are steps that hold of this one.
    """

    __slots__ = ("_acts", "_again", "_found", "_named", "deal")

    def __init__(self, deal: Deal, known: Sequence[Step] = ()) -> None:
        self.deal: Final = deal
        self._found = [step for step in known if not step.pocket]
        self._begin()

    def _begin(self) -> None:
        self._again = Deal(self.deal.terms, self.deal.name, self.deal.bank_before)
        self._acts = 0
        self._named: dict[str, Named] = _named(self.deal)

    @property
    def certain(self) -> bool:
        """Whether no bet is still sealed: what a turn could expect may otherwise change when it is opened."""
        return not any(bet.sealed for bet in self.deal.standing.values())

    def steps(self) -> list[Step]:
        """Return the steps up to now."""
        deal, named = self.deal, _named(self.deal)
        if named != self._named:
            self._found = []
            self._begin()
        complete = len(deal.cards) // 2
        for act in deal.acts[self._acts :]:
            dealt = len(self._again.cards)
            if isinstance(act, DrawCard) and dealt % 2 == 0 and dealt // 2 == len(self._found) < complete:
                self._found.append(self._step(dealt, named))
            elif isinstance(act, DrawCard) and dealt % 2 == 0 and dealt // 2 == complete:
                break  # its even card is awaited: the turn is looked at when both lie
            self._again.apply(act)
            self._acts += 1
        return self._with_results()

    def _step(self, dealt: int, named: Mapping[str, Named]) -> Step:
        deal, again = self.deal, self._again
        odds = turn_expectation(deal.terms, again.standing.values(), again.undealt, dealt + 1, named)
        left = deal.terms.game.size - dealt
        ways = sum(copies * (copies - 1) for copies in again.shoe.undealt_of_rank)
        return Step(
            turn=dealt // 2 + 1,
            position=dealt + 2,
            pocket=False,
            undealt=left,
            expectation=odds.expectation,
            variance=odds.variance,
            split_chance=Fraction(ways, left * (left - 1)),
            split=deal.cards[dealt].rank == deal.cards[dealt + 1].rank,
            actual=0,
        )

    def _with_results(self) -> list[Step]:
        deal, played = self.deal, self.deal.terms.game.played
        actual: dict[int, int] = {}
        taken_by_pocket = 0
        for settlement in deal.settlements:
            result = settlement.taken - settlement.paid
            if settlement.position > played:
                taken_by_pocket += result
            else:
                actual[settlement.turn] = actual.get(settlement.turn, 0) + result
        steps = [replace(step, actual=actual.get(step.turn, 0)) for step in self._found]
        if deal.pocket:
            expected = Fraction(taken_by_pocket)
            nothing = Fraction(0)
            turn, left = (played + 2) // 2, deal.terms.game.pocket
            steps.append(Step(turn, deal.position, True, left, expected, nothing, nothing, False, taken_by_pocket))
        return steps


def _named(deal: Deal) -> dict[str, Named]:
    """Return what sealed bets were opened with, as far as they were."""
    return {bet.name: (bet.rank, bet.suit) for bet in deal.bets.values() if bet.was_sealed and not bet.sealed}
