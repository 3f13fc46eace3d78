"""What is refused, with which code, and that it leaves no trace (tests/rules/floor.py looks at everything)."""

import json
from typing import Any

import pytest

from tables import tablelog
from tables.rules.refusals import Refusal
from tables.rules.table import TableState
from tests.rules.floor import TERMS, ranks, refused

FULL_STUSS = f"deal 1; {ranks('2', 'K')}"

REFUSALS: list[tuple[str, str, dict[str, Any], str, str]] = [
    # --- deals
    ("a deal's name is used once", "stuss", {}, "deal 1; misdeal; deal 1", "duplicate_deal"),
    ("a name used twice wins over an open deal", "stuss", {}, "deal 1; deal 1", "duplicate_deal"),
    ("a deal opens after the one before has ended", "stuss", {}, "deal 1; deal 2", "deal_not_finished"),
    ("no card without a deal", "stuss", {}, "QC", "deal_finished"),
    ("no correction without a deal", "stuss", {}, "fix 1=QC", "deal_finished"),
    ("S-6 no 49th card", "stuss", {}, f"{FULL_STUSS}; AC", "deal_finished"),
    ("S-9 the dealer cannot end a stuss deal", "stuss", {}, "deal 1; end", "deal_not_finished"),
    ("S-9 also not inside a turn", "stuss", {}, "deal 1; QC; end", "deal_not_finished"),
    ("P-6 no end while a bet stands", "private", {}, "deal 1; bet a 1 100 Q; end", "deal_not_finished"),
    ("P-6 with no bet, no end inside a turn", "private", {}, "deal 1; QC; end", "turn_open"),
    ("F-11 a bet that the odd card has hit still stands", "pharaon", {}, "deal 1; bet a 1 100 Q; QC; end", "deal_not_finished"),
    ("T-14 no end inside a turn", "stos", {}, "deal 1; QC; end", "turn_open"),
    ("P-6 a private deal has ended with its bet", "private", {}, "deal 1; bet a 1 100 Q; QC KC; 2C", "deal_finished"),
    ("new terms only between deals", "stuss", {}, "deal 1; rules max=500", "deal_not_finished"),
    ("impossible terms win over an open deal", "stuss", {}, "deal 1; rules max=5", "bad_rules"),
    # --- turns and what is offered
    ("C-4 no bet inside a turn", "stuss", {}, "deal 1; QC; bet a 1 100 K", "turn_open"),
    ("C-4 no withdrawal inside a turn", "stuss", {}, "deal 1; bet a 1 100 K; QC; withdraw a", "turn_open"),
    ("an open turn wins over what is not offered", "stuss", {}, "deal 1; QC; cut", "turn_open"),
    ("S-1 no suit bets in stuss", "stuss", {}, "deal 1; bet a 1 100 /S", "not_offered"),
    ("no bets on a card in stos", "stos", {}, "deal 1; bet a 1 100 QS", "not_offered"),
    ("no sealed bets in stos", "stos", {}, "deal 1; bet a 1 100 ?", "not_offered"),
    ("no refusal by the banker in stos", "stos", {}, "deal 1; bet a 1 100 Q; refuse a", "not_offered"),
    ("no reveal in stuss", "stuss", {}, "deal 1; bet a 1 100 Q; QC 2C; reveal a QS", "not_offered"),
    ("F-10 no paroli in private", "private", {}, "deal 1; bet a 1 100 Q; paroli b a", "not_offered"),
    ("S-6 no pocket before the 24th turn", "stuss", {}, "deal 1; pocket AC AD AH AS", "wrong_position"),
    ("S-6 no bet after the 24th turn", "stuss", {}, f"{FULL_STUSS}; bet a 1 100 A", "betting_closed"),
    ("S-6 no withdrawal either", "stuss", {}, f"deal 1; bet a 1 100 A; {ranks('2', 'K')}; withdraw a", "betting_closed"),
    ("S-6 a pocket card that was dealt", "stuss", {}, f"{FULL_STUSS}; pocket AC AD AH KS", "card_exhausted"),
    ("S-6 a pocket card twice", "stuss", {}, f"{FULL_STUSS}; pocket AC AD AH AH", "card_exhausted"),
    ("P-3 no bet after the cut", "private", {}, "deal 1; cut; bet a 1 100 Q", "betting_closed"),
    ("P-3 no second cut", "private", {}, "deal 1; cut; cut", "betting_closed"),
    ("P-3 the first turn closes betting too", "private", {}, "deal 1; 2C 3C; bet a 1 100 Q", "betting_closed"),
    ("F-2 no withdrawal after the cut", "pharaon", {}, "deal 1; bet a 1 100 Q; cut; withdraw a", "betting_closed"),
    ("P-7 the banker refuses before the first card", "private", {}, "deal 1; bet a 1 100 Q; 2C 3C; refuse a", "betting_closed"),
    # --- bets
    ("C-9 a bet's name is used once a deal", "stuss", {}, "deal 1; bet a 1 100 Q; withdraw a; bet a 1 100 Q", "duplicate_bet"),
    ("C-12 the name of a bet never made is not free", "stuss", {}, "deal 1; bet a 1 100 Q; unmade a; bet a 1 100 Q", "duplicate_bet"),
    ("a bet that nobody made", "stuss", {}, "deal 1; withdraw a", "unknown_bet"),
    ("a bet of the deal before", "stuss", {}, "deal 1; bet a 1 100 Q; misdeal; deal 2; withdraw a", "unknown_bet"),
    ("a bet that was settled", "stuss", {}, "deal 1; bet a 1 100 Q; QC KC; withdraw a", "bet_settled"),
    ("no rank", "stuss", {}, "deal 1; bet a 1 100 Z", "bad_card"),
    ("no suit", "stos", {}, "deal 1; bet a 1 100 Q; bet s 1 100 /X", "bad_card"),
    ("C-2 a rank below the deck", "private", {"deck": 36}, "deal 1; bet a 1 100 5", "not_in_deck"),
    ("C-2 a card below the deck", "pharaon", {"deck": 32}, "deal 1; 6C", "not_in_deck"),
    ("F-6 with thirds a bet names its card", "pharaon", {"thirds": True}, "deal 1; bet a 1 100 Q", "bad_card"),
    ("C-5 a fifth queen", "stuss", {}, "deal 1; QC QD QH QS; QC", "card_exhausted"),
    ("no card", "stuss", {}, "deal 1; ZZ", "bad_card"),
    ("C-8 seat 0", "stuss", {}, "deal 1; bet a 0 100 Q", "bad_seat"),
    ("C-8 seat 11 of ten", "stuss", {}, "deal 1; bet a 11 100 Q", "bad_seat"),
    ("P-1 only seat 1", "private", {}, "deal 1; bet a 2 100 Q", "bad_seat"),
    ("C-8 an amount that is none", "stuss", {}, "deal 1; bet a 1 1e3 Q", "bad_amount"),
    ("C-8 below nothing", "stuss", {}, "deal 1; bet a 1 -5 Q", "bad_amount"),
    ("C-8 half a chip", "stuss", {}, "deal 1; bet a 1 100.5 Q", "not_a_chip"),
    ("C-8 finer than the currency", "stuss", {"chip": "0.01"}, "deal 1; bet a 1 100.005 Q", "not_a_chip"),
    ("C-8 below the minimum", "stuss", {}, "deal 1; bet a 1 99 Q", "below_minimum"),
    ("C-8 above the maximum", "stuss", {}, "deal 1; bet a 1 10001 Q", "above_maximum"),
    ("C-8 an amount of five thousand digits", "stuss", {}, f"deal 1; bet a 1 {'9' * 5000} Q", "above_maximum"),
    ("C-10 a dead rank", "stuss", {}, "deal 1; QC QD QH QS; bet a 1 100 Q", "dead_rank"),
    ("S-7 a rank already dealt", "stuss", {"secondary_bets": False}, "deal 1; QC 2C; bet a 1 100 Q", "secondary_bet"),
    ("T-1 a second bet on a rank", "stos", {}, "deal 1; bet a 1 100 Q; bet b 1 100 Q", "second_bet"),
    ("T-2 a suit bet without a rank bet", "stos", {}, "deal 1; bet s 1 100 /S", "suit_without_rank"),
    ("T-2 a second suit bet", "stos", {}, "deal 1; bet a 1 100 Q; bet s 1 100 /S; bet t 1 100 /H", "second_suit"),
    ("T-2 a suit bet is a multiple of chips", "stos", {"suit_multiple": 3}, "deal 1; bet a 1 100 Q; bet s 1 100 /S", "not_a_chip"),
    ("T-2 also where it names no amount", "stos", {"suit_multiple": 3}, "deal 1; bet a 1 100 Q; bet s 1 - /S", "not_a_chip"),
    ("T-3 more than ten times larger", "stos", {}, "deal 1; bet a 1 100 Q; bet b 1 1001 K", "ratio"),
    ("T-3 more than ten times smaller", "stos", {}, "deal 1; bet a 1 1001 Q; bet s 1 100 /S", "ratio"),
    ("T-3 exactly ten times", "stos", {}, "deal 1; bet a 1 100 Q; bet b 1 1000 K", "accepted"),
    ("T-3 another seat", "stos", {}, "deal 1; bet a 1 100 Q; bet b 2 5000 K", "accepted"),
    ("T-3 a reduced bet counts as it was placed", "stos", {}, "deal 1; bet a 1 1000 Q; bet k 1 1000 K; bet s 1 1000 /S; QC 2D; bet b 1 10000 A", "accepted"),
    ("T-4 a rank bet is locked", "stos", {}, "deal 1; bet a 1 100 Q; withdraw a", "rank_locked"),
    ("T-13 a suit bet is locked beside a rank bet", "stos", {}, "deal 1; bet a 1 100 Q; bet s 1 100 /S; withdraw s", "suit_locked"),
    ("P-2 one bet a deal", "private", {}, "deal 1; bet a 1 100 ?; bet b 1 100 Q", "second_bet"),
    ("P-4 no third card over a sealed bet", "private", {}, "deal 1; bet a 1 100 ?; QC KC; 2C", "sealed_bet"),
    ("P-4 no reveal before the first card", "private", {}, "deal 1; bet a 1 100 ?; reveal a QS", "sealed_bet"),
    ("P-4 no reveal inside the first turn", "private", {}, "deal 1; bet a 1 100 ?; QC; reveal a QS", "turn_open"),
    ("P-4 an open bet is not sealed", "pharaon", {}, "deal 1; bet a 1 100 A; QC KC; reveal a QS", "not_sealed"),
    ("F-10 a lost bet has no corner", "pharaon", {}, "deal 1; bet a 1 100 Q; QC KC; paroli b a", "not_won"),
    ("F-10 not_won at any time and on any rank", "pharaon", {}, "deal 1; bet a 1 100 Q; QC QD QH QS; 2C 3C; paroli b a", "not_won"),
    ("F-10 after the next turn", "pharaon", {}, "deal 1; bet a 1 100 Q; 2C QC; 3C 4C; paroli b a", "betting_closed"),
    ("F-10 one corner a win", "pharaon", {}, "deal 1; bet a 1 100 Q; 2C QC; paroli b a; paroli c a", "bet_settled"),
    ("F-10 C-10 no corner on a dead rank", "pharaon", {}, "deal 1; bet a 1 100 Q; 2C QC; paroli b a; 3C QD; paroli c b; 4C QH; paroli d c; 5C QS; paroli e d", "dead_rank"),
    ("F-10 of nothing", "pharaon", {}, "deal 1; paroli b a", "unknown_bet"),
    # --- the bank
    ("C-13 one card could break the bank", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 200 Q; bet b 2 101 K", "bank_exceeded"),
    ("C-13 exactly the bank", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 200 Q; bet b 2 100 K", "accepted"),
    ("C-13 the bank has grown by what it took", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 300 Q; QC 2C; bet b 1 600 K", "accepted"),
    ("C-13 the bank has shrunk by what it paid", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 200 Q; 2C QC; bet b 1 101 K", "bank_exceeded"),
    ("C-13 from deal to deal", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 200 Q; 2C QC; misdeal; deal 2; bet b 1 101 K", "bank_exceeded"),
    ("C-13 a correction moves the bank of the next deal", "stuss", {"banker": {"bank": "300"}}, "deal 1; bet a 1 200 Q; 2C QC; misdeal; fix 2=KC; deal 2; bet b 1 300 K", "accepted"),
    ("C-13 the dearest position still to come", "pharaon", {"banker": {"bank": "299"}, "positions": {"4": "3"}}, "deal 1; bet a 1 100 Q", "bank_exceeded"),
    ("C-13 the bonus before the second card", "pharaon", {"banker": {"bank": "149"}, "bonus": "1/2"}, "deal 1; bet a 1 100 Q", "bank_exceeded"),
    ("C-13 a sealed bet counts its whole first turn", "pharaon", {"banker": {"bank": "500"}, "bonus": "1/2"}, "deal 1; bet a 1 100 Q; bet b 2 200 ?; 2C QC; paroli c a", "bank_exceeded"),
    ("C-13 a suit bet that may be restored", "stos", {"min": "1", "fractions": "house", "half_win_reduced": "restore", "banker": {"bank": "15"}}, "deal 1; bet a 1 3 Q; bet s 1 3 /S; QC 2D; bet b 2 19 K", "bank_exceeded"),
    ("C-13 and fits exactly", "stos", {"min": "1", "fractions": "house", "half_win_reduced": "restore", "banker": {"bank": "15"}}, "deal 1; bet a 1 3 Q; bet s 1 3 /S; QC 2D; bet b 2 18 K", "accepted"),
    # --- corrections
    ("C-12 a card that is not there", "stuss", {}, "deal 1; QC; fix 2=KC", "wrong_position"),
    ("C-12 position 0", "stuss", {}, "deal 1; QC; fix 0=KC", "wrong_position"),
    ("C-12 only the last card is taken back", "stuss", {}, "deal 1; QC KC; fix 1=-", "wrong_position"),
    ("C-12 a pocket card is not taken back", "stuss", {}, f"{FULL_STUSS}; pocket AC AD AH AS; fix 52=-", "wrong_position"),
    ("C-12 C-5 a card that the shoe does not hold", "stuss", {}, "deal 1; QC KC; fix 1=KC", "card_exhausted"),
    ("C-12 also at a position that is not there", "stuss", {}, "deal 1; QC KC; fix 9=KC", "card_exhausted"),
    ("C-12 taken back under a bet that followed", "stuss", {}, "deal 1; QC KC; bet a 1 100 2; fix 2=-", "turn_open"),
    ("C-12 a later bet would have been dead", "stuss", {}, "deal 1; QC QD QH KS; bet a 1 100 Q; fix 4=QS", "dead_rank"),
    ("C-12 an end that would leave a bet standing", "pharaon", {}, "deal 1; bet a 1 100 Q; QC KC; end; fix 1=2C", "deal_not_finished"),
    ("C-12 a private deal cannot have ended earlier", "private", {}, "deal 1; bet a 1 100 Q; 2C 3C; QC 4C; fix 1=QD", "deal_finished"),
    ("C-12 a reopened deal after new terms", "private", {}, "deal 1; bet a 1 100 Q; QC 2C; rules max=500; fix 1=3C", "deal_not_finished"),
    ("C-12 a bet never made that was withdrawn", "stuss", {}, "deal 1; bet a 1 100 Q; withdraw a; unmade a", "unknown_bet"),
    ("C-12 a bet that is not there", "stuss", {}, "deal 1; fix a rank=Q", "unknown_bet"),
    ("C-12 a paroli's own fields", "pharaon", {}, "deal 1; bet a 1 100 Q; 2C QC; paroli b a; fix b amount=100", "not_offered"),
    ("C-12 a card in stuss", "stuss", {}, "deal 1; bet a 1 100 Q; fix a card=QS", "not_offered"),
    ("C-12 a suit in pharaon", "pharaon", {}, "deal 1; bet a 1 100 Q; fix a suit=S", "not_offered"),
    ("C-12 a sealed bet has no card yet", "private", {}, "deal 1; bet a 1 100 ?; fix a card=QS", "sealed_bet"),
    ("C-12 nor a rank", "pharaon", {}, "deal 1; bet a 1 100 ?; fix a rank=Q", "sealed_bet"),
    ("C-12 a text that is no card comes before that", "private", {}, "deal 1; bet a 1 100 ?; fix a card=ZZ", "bad_card"),
    ("C-12 an amount that the limits refuse", "stuss", {}, "deal 1; bet a 1 100 Q; fix a amount=5", "below_minimum"),
    ("C-12 a bet that stood in a turn", "stuss", {}, "deal 1; QC KC; stood a 1 100 2 after 1", "wrong_position"),
    ("C-12 a bet that stood later than the last card", "stuss", {}, "deal 1; QC KC; stood a 1 100 2 after 4", "wrong_position"),
    ("C-12 nothing of that kind is offered here", "stuss", {}, "deal 1; QC KC; stood a 1 100 /S after 1", "not_offered"),
    ("C-12 a bet that stood under a name given away", "stuss", {}, "deal 1; bet a 1 100 Q; QC KC; stood a 1 100 2 after 0", "duplicate_bet"),
    ("C-12 under a name given away only later", "stuss", {}, "deal 1; QC KC; bet a 1 100 Q; stood a 1 100 2 after 0", "duplicate_bet"),
    ("C-12 a bet that stood after the cut", "pharaon", {}, "deal 1; bet a 1 100 Q; cut; 2C 3C; stood b 1 100 K after 2", "betting_closed"),
]  # fmt: skip

LIMITS = ("min", "max", "chip", "seats", "banker")


@pytest.mark.parametrize(("game", "given", "story", "code"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_the_last_deed_is_refused_and_leaves_no_trace(game: str, given: dict[str, Any], story: str, code: str) -> None:
    limits = {name: given[name] for name in LIMITS if name in given}
    rules = {name: value for name, value in given.items() if name not in LIMITS}
    assert refused(game, story, **limits, rules=rules) == code


IMPOSSIBLE_TERMS: list[tuple[str, str, dict[str, Any]]] = [
    ("an unknown game", "poker", {}),
    ("a minimum that is no multiple of the chip", "stuss", {"min": "150", "chip": "100"}),
    ("a maximum below the minimum", "stuss", {"max": "99"}),
    ("no seat", "stuss", {"seats": 0}),
    ("an amount of nothing", "stuss", {"chip": "0"}),
    ("a text that is no amount", "stuss", {"max": "many"}),
    ("a chip finer than the currency", "stuss", {"chip": "0.001", "min": "0.001"}),
    ("a hundredth of a yen", "stuss", {"currency": "JPY", "chip": "0.5"}),
    ("more than the record holds exactly", "stuss", {"max": "99999999999999999"}),
    ("a banker who is neither", "stuss", {"banker": "player"}),
    ("an empty bank", "stuss", {"banker": {"bank": "0"}}),
    ("a rule of another game", "stuss", {"rules": {"decks": 6}}),
    ("five decks", "stos", {"rules": {"decks": 5}}),
    ("decks as a text", "stos", {"rules": {"decks": "6"}}),
    ("true for a number", "stos", {"rules": {"ratio": True}}),
    ("a ratio below one", "stos", {"rules": {"ratio": 0}}),
    ("half a multiple", "stos", {"rules": {"suit_multiple": 1.5}}),
    ("yes for true", "pharaon", {"rules": {"thirds": "yes"}}),
    ("a third of a split", "pharaon", {"rules": {"split_take": "1/3"}}),
    ("a bonus that is no fraction", "pharaon", {"rules": {"bonus": "0.5"}}),
    ("a bonus over nothing", "pharaon", {"rules": {"bonus": "1/0"}}),
    ("positions as a list", "pharaon", {"rules": {"positions": ["1"]}}),
    ("a position that is none", "pharaon", {"rules": {"positions": {"x": "1"}}}),
    ("a position after the last card", "pharaon", {"rules": {"deck": 32, "positions": {"33": "1"}}}),
    ("more lost than staked", "pharaon", {"rules": {"positions": {"3": "2"}}}),
    ("more lost than staked, turned round", "pharaon", {"rules": {"positions": {"4": {"side": "lose", "times": "2"}}}}),
    ("a side that is not turned round", "pharaon", {"rules": {"positions": {"3": {"side": "lose", "times": "1"}}}}),
    ("a turned side without its times", "pharaon", {"rules": {"positions": {"3": {"side": "win"}}}}),
]


@pytest.mark.parametrize(
    ("game", "given"), [each[1:] for each in IMPOSSIBLE_TERMS], ids=[e[0] for e in IMPOSSIBLE_TERMS]
)
def test_impossible_terms_are_bad_rules(game: str, given: dict[str, Any]) -> None:
    line = json.dumps({"type": "table", "game": game, **TERMS, **given})
    assert _code(line) == "bad_rules"


@pytest.mark.parametrize("rule", ["ratio", "suit_multiple"])
@pytest.mark.parametrize("number", ["1E999999999", "1" + "0" * 4000, "1000000000000000001", "1E-999999999"])
def test_a_number_that_no_table_could_count_to_is_bad_rules_at_once(rule: str, number: str) -> None:
    line = json.dumps({"type": "table", "game": "stos", **TERMS, "rules": {rule: "@"}})
    assert _code(line.replace('"@"', number)) == "bad_rules"


BAD_LINES: list[tuple[str, str]] = [
    ("no JSON", "{"),
    ("a list", "[]"),
    ("not a number", '{"type":"deal","deal":NaN}'),
    ("nested without end", '{"type":"deal","deal":' + "[" * 100_000),
    ("no type", '{"deal":"1"}'),
    ("an unknown type", '{"type":"shuffle"}'),
    ("a type that is no text", '{"type":[]}'),
    ("an unknown key", '{"type":"deal","deal":"1","colour":"red"}'),
    ("a missing key", '{"type":"deal"}'),
    ("a key given twice", '{"type":"deal","deal":"1","deal":"2"}'),
    ("a key given twice inside", '{"type":"correct","reason":"r","cards":{"1":"QC","1":"KC"}}'),
    ("an empty name", '{"type":"deal","deal":""}'),
    ("a name of blanks", '{"type":"deal","deal":"  "}'),
    ("a name that no text can hold", '{"type":"deal","deal":"a\\u0000b"}'),
    ("half a sign", '{"type":"deal","deal":"\\ud800"}'),
    ("a number for a text", '{"type":"deal","deal":1}'),
    ("a text for a number", '{"type":"bet","bet":"a","seat":"1","rank":"Q"}'),
    ("true for a number", '{"type":"bet","bet":"a","seat":true,"rank":"Q"}'),
    ("a seat with a point", '{"type":"bet","bet":"a","seat":1.0,"rank":"Q"}'),
    ("a seat beyond every number", '{"type":"bet","bet":"a","seat":1' + "0" * 5000 + ',"rank":"Q"}'),
    ("an amount as a number", '{"type":"bet","bet":"a","seat":1,"amount":100,"rank":"Q"}'),
    ("a rank and a suit", '{"type":"bet","bet":"a","seat":1,"rank":"Q","suit":"S"}'),
    ("a time that is none", '{"type":"deal","deal":"1","at":"2026-02-30T10:00:00Z"}'),
    ("a time without offset", '{"type":"deal","deal":"1","at":"2026-02-20T10:00:00"}'),
    ("nobody", '{"type":"deal","deal":"1","by":""}'),
    ("three pocket cards", '{"type":"pocket","cards":["AC","AD","AH"]}'),
    ("a bank without its amount", '{"type":"rules","banker":{"amount":"5"}}'),
    ("rules that are no object", '{"type":"rules","rules":[]}'),
    ("a correction of nothing", '{"type":"correct","reason":"r"}'),
    ("a correction without a reason", '{"type":"correct","cards":{"1":"QC"}}'),
    ("a correction of no card", '{"type":"correct","reason":"r","cards":{}}'),
    ("a correction at no position", '{"type":"correct","reason":"r","cards":{"01":"QC"}}'),
    ("a correction of cards and a bet", '{"type":"correct","reason":"r","cards":{"1":"QC"},"bet":"a"}'),
    ("a correction of no field", '{"type":"correct","reason":"r","bet":"a"}'),
    ("a correction to a rank and a card", '{"type":"correct","reason":"r","bet":"a","rank":"Q","card":"QS"}'),
    ("a bet never made with a field", '{"type":"correct","reason":"r","bet":"a","made":false,"seat":1}'),
    ("a bet that stood, nobody knows when", '{"type":"correct","reason":"r","bet":"a","made":true,"seat":1,"rank":"Q"}'),
    ("made of text", '{"type":"correct","reason":"r","bet":"a","made":"no"}'),
    ("after without made", '{"type":"correct","reason":"r","bet":"a","after":2,"seat":1}'),
    ("a second table", '{"type":"table","table":"T1","game":"stuss","currency":"RUB","min":"1","max":"2","chip":"1"}'),
]  # fmt: skip


@pytest.mark.parametrize("line", [each[1] for each in BAD_LINES], ids=[each[0] for each in BAD_LINES])
def test_a_line_that_cannot_be_read_is_a_bad_line(line: str) -> None:
    state = TableState()
    state.apply(tablelog.parse_object({"type": "table", "game": "stuss", **TERMS}))  # type: ignore[arg-type]
    assert _code(line, state) == "bad_line"


def test_a_time_with_many_digits_and_small_letters_is_a_time() -> None:
    assert _code('{"type":"deal","deal":"1","at":"2026-11-29t00:02:00.1234567z"}') == "bad_line"  # no table before it
    event = tablelog.parse_line('{"type":"deal","deal":"1","at":"2026-11-29t00:02:00.1234567z"}')
    assert tablelog.read_time("2026-11-29t00:02:00.1234567z").isoformat() == "2026-11-29T00:02:00.123456+00:00"
    assert event == tablelog.parse_line('{"type":"deal","deal":"1"}')


def test_an_envelope_s_event_has_no_stamps() -> None:
    sent = {"type": "deal", "deal": "1", "by": "D-014"}
    assert tablelog.parse_object(sent) is not None
    with pytest.raises(Refusal) as refusal:
        tablelog.parse_object(sent, stamps=False)
    assert refusal.value.code == "bad_line"


def _code(line: str, state: TableState | None = None) -> str:
    try:
        event = tablelog.parse_line(line)
        assert not isinstance(event, tablelog.FloorEvent)
        (state or TableState()).apply(event)
    except Refusal as refusal:
        return str(refusal.code)
    return "accepted"
