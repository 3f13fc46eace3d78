"""The codes with which the door refuses, besides those of the rules. It never decides."""

from enum import StrEnum


class DoorCode(StrEnum):
    """Why the door, not the rules, did not record something."""

    ID_REUSED = "id_reused"
    APPROVAL_NEEDED = "approval_needed"
    NOT_ALLOWED = "not_allowed"
    NOT_SIGNED_ON = "not_signed_on"
    WRONG_PIN = "wrong_pin"
    BAD_PIN = "bad_pin"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - the name of a refusal
    TABLE_CLOSED = "table_closed"
    PAUSED = "paused"
    BATCH_TOO_LARGE = "batch_too_large"
    # Chips, slips and boxes.
    UNKNOWN_CHIP = "unknown_chip"
    NOT_EQUAL = "not_equal"
    COUNT_NEEDED = "count_needed"
    BANK_SHORT = "bank_short"
    STEP_MISSING = "step_missing"
    ALREADY_DONE = "already_done"
    TABLES_OPEN = "tables_open"
    # Later issues give these; the codes are taken already.
    PEN_ELSEWHERE = "pen_elsewhere"
    PEN_SILENT = "pen_silent"
    BET_UNSEEN = "bet_unseen"
    BETS_OPEN = "bets_open"
    NOT_CONFIRMED = "not_confirmed"
    CHECK_NEEDED = "check_needed"
