"""Which bets may be placed at all: seat, amount, ratio, dead ranks, bank. It changes nothing and settles nothing.

Checks come in the order of the refusal codes. Rules: C-8, C-10, C-13, T-1 to T-3, S-7, P-2.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from tables.rules.bet import Bet
from tables.rules.cards import RANKS
from tables.rules.paytable import BetKind
from tables.rules.refusals import Code, Refusal
from tables.rules.terms import Terms, parse_amount

STAKES_KEPT: Final = 10_000  # a hostile sender must not fill the memory with ways to write one amount


def check_seat(terms: Terms, seat: int) -> None:
    """Raises bad_seat for a seat that the table does not have. Rules: C-8, P-1."""
    only = terms.game.seat
    if only is not None and seat != only:
        raise Refusal(Code.BAD_SEAT, f"Seat {seat}: the only punter sits on seat {only}.", value=seat, limit=only)
    if not 1 <= seat <= terms.seats:
        raise Refusal(Code.BAD_SEAT, f"Seat {seat}: the seats are 1 to {terms.seats}.", value=seat, limit=terms.seats)


def read_stake(terms: Terms, text: str | None, suit_bet: bool) -> int:
    """Return a bet's amount in minor units; the minimum where none is named.

    Raises bad_amount, not_a_chip, below_minimum, above_maximum. Rules: C-8, T-2.
    """
    accepted = terms.stakes_read[suit_bet]
    stake = accepted.get(text)
    if stake is None:
        stake = _checked_stake(terms, text, suit_bet)
        if len(accepted) < STAKES_KEPT:
            accepted[text] = stake
    return stake


def _checked_stake(terms: Terms, text: str | None, suit_bet: bool) -> int:
    try:
        amount = terms.minimum if text is None else parse_amount(text, terms.digits)
    except ValueError:
        raise Refusal(Code.BAD_AMOUNT, f"{text!r} is no amount.", value=text) from None
    chip = terms.chip * terms.game.suit_multiple if suit_bet else terms.chip
    if not isinstance(amount, int) or amount % chip:
        raise Refusal(
            Code.NOT_A_CHIP,
            f"{text or terms.text(terms.minimum)} is no multiple of {terms.text(chip)}.",
            value=text or terms.text(terms.minimum),
            limit=terms.text(chip),
        )
    if amount < terms.minimum:
        raise Refusal(
            Code.BELOW_MINIMUM,
            f"{text} is below the minimum, {terms.text(terms.minimum)}.",
            value=text,
            limit=terms.text(terms.minimum),
        )
    if amount > terms.maximum:
        raise Refusal(
            Code.ABOVE_MAXIMUM,
            f"{text} is above the maximum, {terms.text(terms.maximum)}.",
            value=text,
            limit=terms.text(terms.maximum),
        )
    return amount


def check_ratio(terms: Terms, amount: int, of_seat: Iterable[Bet], ratio: Fraction) -> None:
    """Raises ratio where a standing bet of the seat differs by more than the factor. Rules: T-3."""
    most, least = ratio.as_integer_ratio()
    for bet in of_seat:
        other = bet.amount
        if amount != other and (amount * least > other * most or other * least > amount * most):
            raise Refusal(
                Code.RATIO,
                f"{terms.text(amount)} differs more than {ratio} times from {terms.text(bet.amount)},"
                f" which stands as {bet.name!r}.",
                value=terms.text(amount),
                limit=str(ratio),
                other=terms.text(bet.amount),
            )


def refuse_dead_rank(rank: int) -> Refusal:
    """Return the refusal of a rank of which every copy has been dealt. Rules: C-10."""
    return Refusal(Code.DEAD_RANK, f"Every {RANKS[rank]} has been dealt.", value=RANKS[rank])


def check_bank(terms: Terms, bank: int, position: int, standing: Iterable[Bet], new: Bet) -> None:
    """Raises bank_exceeded where one card could pay more than the banker has. Rules: C-13.

    `position` is the number of cards dealt.
    """
    exposure = sum(most_paid(terms, bet, position) for bet in standing) + most_paid(terms, new, position)
    if exposure > bank:
        raise Refusal(
            Code.BANK_EXCEEDED,
            f"One card could pay {terms.text(exposure)}; the bank has {terms.text(bank)}.",
            value=terms.text(exposure),
            limit=terms.text(bank),
        )


def most_paid(terms: Terms, bet: Bet, position: int) -> int:
    """Return the most that the rules let one card pay on a bet as it stands, whatever is undealt. Rules: C-13."""
    if bet.kind.name == "rank":
        # For a bet that is still sealed every card that lies is yet to be judged (P-4).
        judged = 0 if bet.sealed else position
        return terms.cashier.pays(terms.game.most_paid_after[judged], bet.standing)
    return _most_paid_on_suit(terms, bet, bet.kind)


def _most_paid_on_suit(terms: Terms, bet: Bet, kind: BetKind) -> int:
    most = 0
    for line in kind.lines:
        if line.when.reduced in (None, bet.standing < bet.amount):
            pay = line.effect.pay
            most = max(most, bet.last_halving if isinstance(pay, str) else terms.cashier.pays(pay, bet.standing))
    return most
