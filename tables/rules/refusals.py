"""Every refusal of the rules: a stable code, a sentence, and the values named in it. It never decides."""

from enum import StrEnum


class Code(StrEnum):
    """Codes of the rules, in the order in which they win over one another. Rules: Refusals."""

    BAD_LINE = "bad_line"
    BAD_RULES = "bad_rules"
    DUPLICATE_DEAL = "duplicate_deal"
    DEAL_FINISHED = "deal_finished"
    DEAL_NOT_FINISHED = "deal_not_finished"
    TURN_OPEN = "turn_open"
    NOT_OFFERED = "not_offered"
    BETTING_CLOSED = "betting_closed"
    DUPLICATE_BET = "duplicate_bet"
    UNKNOWN_BET = "unknown_bet"
    BET_SETTLED = "bet_settled"
    BAD_CARD = "bad_card"
    NOT_IN_DECK = "not_in_deck"
    CARD_EXHAUSTED = "card_exhausted"
    WRONG_POSITION = "wrong_position"
    BAD_SEAT = "bad_seat"
    BAD_AMOUNT = "bad_amount"
    NOT_A_CHIP = "not_a_chip"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    RATIO = "ratio"
    DEAD_RANK = "dead_rank"
    SECONDARY_BET = "secondary_bet"
    SUIT_WITHOUT_RANK = "suit_without_rank"
    SECOND_SUIT = "second_suit"
    SECOND_BET = "second_bet"
    RANK_LOCKED = "rank_locked"
    SUIT_LOCKED = "suit_locked"
    SEALED_BET = "sealed_bet"
    NOT_SEALED = "not_sealed"
    NOT_WON = "not_won"
    BANK_EXCEEDED = "bank_exceeded"


class Refusal(Exception):
    """An input that cannot be accepted; what it was given to has not changed.

    `code` is one of `Code`, or of the door's (`tables.refusals.DoorCode`).
    `facts` holds the values that the sentence names (texts), so that an edge can say it in another language. The
    code is one of Code, or of a door that refuses for reasons of its own.
    """

    def __init__(self, code: StrEnum, message: str, **facts: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts = {name: str(value) for name, value in facts.items()}

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def because_of(self, act: str) -> "Refusal":
        """Return the same refusal, saying that a correction would have made `act` unacceptable. Rules: C-12."""
        refusal = Refusal(self.code, f"With this correction {act} could not have been accepted: {self.message}")
        refusal.facts = {**self.facts, "act": act}
        return refusal
