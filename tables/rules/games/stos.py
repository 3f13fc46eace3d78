"""Casino Stos. Rules: T-1 to T-14."""

from tables.rules.house_rules import StosRules
from tables.rules.paytable import ALL, HALF, LAST_HALVING, BetKind, Effect, Game, Line, When

RANK_LINES = (
    Line(When(side="odd", split=True), Effect("split", take=ALL), "T-5"),
    Line(When(side="odd"), Effect("lose", take=ALL), "T-5"),
    Line(When(side="even"), Effect("win", pay=ALL), "T-5"),
)


def _suit_lines(rules: StosRules) -> tuple[Line, ...]:
    """No line holds for a plain card (T-11): the bet is unchanged. In a split none holds either (T-12)."""
    half_win = Effect("half_win", pay=HALF, rest="returned" if rules.half_win == "close" else "stands")
    reduced = {
        "grow": Effect("half_win", pay=HALF, rest="stands", paid_to="bet"),
        "restore": Effect("half_win", pay=LAST_HALVING, rest="stands", paid_to="bet"),
        "pay": half_win,
    }[rules.half_win_reduced]
    half_lose = Effect("half_lose", take=HALF, rest="stands_from_minimum")
    return (
        Line(When(side="odd", split=False, colour="full"), Effect("lose", take=ALL), "T-7"),
        Line(When(side="odd", split=False, colour="half"), half_lose, "T-8"),
        Line(When(side="even", split=False, colour="full"), Effect("win", pay=ALL), "T-7"),
        Line(When(side="even", split=False, colour="half", reduced=False), half_win, "T-9"),
        Line(When(side="even", split=False, colour="half", reduced=True), reduced, "T-10"),
    )


def build(rules: StosRules) -> Game:
    """Build the game."""
    suit = BetKind(
        "suit",
        _suit_lines(rules),
        touched_by="ranks_of_its_seat",
        judged_on="opening" if rules.two_hits == "opening" else "standing",
    )
    return Game(
        code="stos",
        deck=52,
        decks=rules.decks,
        kinds=(BetKind("rank", RANK_LINES), suit),
        fractions=rules.fractions,
        betting="between_turns",
        dealer_ends="always",
        deeds=frozenset({"suit"}),
        one_bet="rank",
        locked=True,
        ratio=rules.ratio,
        suit_multiple=rules.suit_multiple,
    )
