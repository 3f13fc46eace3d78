"""What a dealer's keys come to at the console: the browser's own code, in Node.js."""

from typing import Any

from tests.pages.in_node import node

NAMES = {" ": "Space", ",": "Comma", ".": "Period", "/": "Slash", "-": "Minus"}


def codes(keys: str) -> list[str]:
    """Say which places are pressed: `3Q1 000` is Digit3, KeyQ, Digit1, Space, …"""
    return [NAMES.get(key) or (f"Digit{key}" if key.isdigit() else f"Key{key}") for key in keys]


def entered(*entries: str) -> list[Any]:
    return node("keys.mjs", [codes(keys) for keys in entries])


def on(targets: str, minor: int, seat: int = 3) -> dict[str, Any]:
    return {"seat": seat, "targets": targets, "minor": minor}


def test_an_amount_that_is_typed_is_read_whole_whatever_stands_between_its_digits_or_is_not_placed():
    assert entered("3Q500", "3Q1 000", "3Q1 000 000", "3Q12.50", "3Q12,50", "3Q12/50", "3Q1 000,5", "3Q500.") == [
        on("Q", 50_000), on("Q", 100_000), on("Q", 100_000_000), on("Q", 1250), on("Q", 1250), on("Q", 1250),
        on("Q", 100_050), on("Q", 50_000),
    ]  # fmt: skip
    assert entered("3Q1 0", "3Q12 50", "3Q1,000", "3Q1.2.5", "3Q1,000.5", "3Q12.345", "3Q500 7") == [None] * 7


def test_space_asks_for_another_rank_and_after_an_amount_only_a_letter_can_be_one():
    assert entered("3Q K500", "3Q 7 0500", "3Q500 K", "3Q500 K T", "3Q K") == [
        on("Q K", 50_000), on("Q 7 T", 50_000), on("Q K", 50_000), on("Q K T", 50_000), on("Q K", 10_000),
    ]  # fmt: skip


def test_two_keys_are_a_card_and_a_point_after_a_seat_is_a_suit_bet():
    assert entered("QS", "0H", "3.H500", "3,H500") == [
        {"card": "QS"}, {"card": "TH"}, on("H", 50_000), on("H", 50_000),
    ]  # fmt: skip
