"""What each clause settles. A line reads: position, bet, outcome, stake + paid = taken / returned / standing."""

from typing import Any

import pytest

from tests.rules.floor import ranks, settled

HALVED = "deal 1; bet a 1 400 Q; bet b 1 400 K; bet s 1 400 /S; QC 2D"  # the suit bet stands at 200 of 400
OPENING = {"two_hits": "opening"}

STORIES: list[tuple[str, str, dict[str, Any], str, list[str]]] = [
    # --- stuss
    ("S-2 odd card takes the stake", "stuss", {}, "deal 1; bet a 1 500 Q; QC KC", ["1 a lose 500+0=500/0/0"]),
    ("S-3 even card pays one to one", "stuss", {}, "deal 1; bet a 1 500 Q; KC QC", ["2 a win 500+500=0/1000/0"]),
    ("S-4 a split takes the whole stake", "stuss", {}, "deal 1; bet a 1 500 Q; QC QD", ["1 a split 500+0=500/0/0"]),
    (
        "S-5 between turns a bet is withdrawn and another placed",
        "stuss",
        {},
        "deal 1; bet a 1 500 Q; 2C 3C; withdraw a; bet b 1 100 K; 4C KC",
        ["2 a withdrawn 500+0=0/500/0", "4 b win 100+100=0/200/0"],
    ),
    (
        "S-6 the pocket takes every bet, at the first card of its rank",
        "stuss",
        {},
        f"deal 1; {ranks('2', 'J')}; KC AC KD AD; bet a 1 100 A; bet k 2 300 K; {ranks('Q', 'Q')}; pocket KH AH AS KS",
        ["49 k pocket 300+0=300/0/0", "50 a pocket 100+0=100/0/0"],
    ),
    (
        "S-7 without secondary bets all 26 turns are played",
        "stuss",
        {"secondary_bets": False},
        f"deal 1; bet a 1 100 A; {ranks('2', 'K')}; AC AD",
        ["49 a split 100+0=100/0/0"],
    ),
    (
        "S-8 from the hand the last turn settles, with secondary bets",
        "stuss",
        {"deal_from": "hand"},
        f"deal 1; {ranks('2', 'K')}; AC AD; bet a 1 100 A; AH AS",
        ["51 a split 100+0=100/0/0"],
    ),
    # --- private
    ("P-5 odd", "private", {}, "deal 1; bet a 1 100 Q; cut; QC 2C", ["1 a lose 100+0=100/0/0"]),
    ("P-5 even", "private", {}, "deal 1; bet a 1 100 Q; cut 1; 2C QC", ["2 a win 100+100=0/200/0"]),
    (
        "P-4 a sealed card is opened after the first turn and settled for it",
        "private",
        {},
        "deal 1; bet a 1 100 ?; cut; QC 2C; reveal a QS",
        ["1 a lose 100+0=100/0/0"],
    ),
    (
        "P-4 a sealed card that the first turn misses goes on",
        "private",
        {},
        "deal 1; bet a 1 100 ?; cut; 3C 2C; reveal a QS; 4C QC",
        ["4 a win 100+100=0/200/0"],
    ),
    (
        "P-6 after a refused stake another may follow",
        "private",
        {},
        "deal 1; bet a 1 100 Q; refuse a; bet b 1 200 K; cut; 2C KC",
        ["0 a refused 100+0=0/100/0", "2 b win 200+200=0/400/0"],
    ),
    ("P-6 with no bet standing the dealer ends", "private", {}, "deal 1; cut; 2C 3C; end", []),
    # --- stos
    (
        "T-7 full colour on the odd card takes the suit bet",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; QS 2S",
        ["1 a lose 400+0=400/0/0", "1 s lose 300+0=300/0/0"],
    ),
    (
        "T-8 half colour takes half and the rest stands",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; QC 2S",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 300+0=150/0/150"],
    ),
    (
        "T-8 exactly the minimum stands",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 200 /S; QC 2S",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 200+0=100/0/100"],
    ),
    (
        "T-8 less than the minimum is returned and closes the bet",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 197 /S; QC 2S",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 197+0=98/99/0"],
    ),
    (
        "T-8 a half that rounds to nothing is recorded all the same",
        "stos",
        {"min": "1"},
        "deal 1; bet a 1 4 Q; bet s 1 1 /S; QC 2S",
        ["1 a lose 4+0=4/0/0", "1 s half_lose 1+0=0/0/1"],
    ),
    (
        "C-7 for the house a half chip is taken up",
        "stos",
        {"min": "1", "fractions": "house"},
        "deal 1; bet a 1 4 Q; bet s 1 3 /S; QC 2S",
        ["1 a lose 4+0=4/0/0", "1 s half_lose 3+0=2/0/1"],
    ),
    (
        "T-9 half colour on the even card pays half and closes",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 301 /S; 2S QC",
        ["2 a win 400+400=0/800/0", "2 s half_win 301+151=0/452/0"],
    ),
    (
        "T-9 ride: half is paid out and the stake stands",
        "stos",
        {"half_win": "ride"},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; 2S QC",
        ["2 a win 400+400=0/800/0", "2 s half_win 300+150=0/150/300"],
    ),
    (
        "T-10 grow: a reduced bet grows by half of what stands",
        "stos",
        {},
        f"{HALVED}; 2C KC",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 400+0=200/0/200", "4 b win 400+400=0/800/0"]
        + ["4 s half_win 200+100=0/0/300"],
    ),
    (
        "T-10 restore: the last halving is undone",
        "stos",
        {"half_win_reduced": "restore"},
        f"{HALVED}; 2C KC",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 400+0=200/0/200", "4 b win 400+400=0/800/0"]
        + ["4 s half_win 200+200=0/0/400"],
    ),
    (
        "T-10 restore: two halvings are undone one after the other",
        "stos",
        {"half_win_reduced": "restore"},
        f"{HALVED}; bet c 1 400 A; AC 2C; bet d 1 400 J; bet e 1 400 T; 3C JC; 4C TC",
        [
            "1 a lose 400+0=400/0/0",
            "1 s half_lose 400+0=200/0/200",
            "3 s half_lose 200+0=100/0/100",
            "3 c lose 400+0=400/0/0",
            "6 s half_win 100+100=0/0/200",
            "6 d win 400+400=0/800/0",
            "8 s half_win 200+200=0/0/400",
            "8 e win 400+400=0/800/0",
        ],
    ),
    (
        "T-10 pay: as from its original amount, and closed",
        "stos",
        {"half_win_reduced": "pay"},
        f"{HALVED}; 2C KC",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 400+0=200/0/200", "4 b win 400+400=0/800/0"]
        + ["4 s half_win 200+100=0/300/0"],
    ),
    (
        "T-6 in sequence the even card pays on what the odd card left",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet b 1 400 K; bet s 1 400 /S; QC KS",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 400+0=200/0/200", "2 b win 400+400=0/800/0"]
        + ["2 s win 200+200=0/400/0"],
    ),
    (
        "T-6 in sequence a bet closed by the odd card is closed for the even one",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet b 1 400 K; bet s 1 400 /S; QS KS",
        ["1 a lose 400+0=400/0/0", "1 s lose 400+0=400/0/0", "2 b win 400+400=0/800/0"],
    ),
    (
        "T-6 opening: the even card pays on the stake at the start of the turn",
        "stos",
        OPENING,
        "deal 1; bet a 1 400 Q; bet b 1 400 K; bet s 1 400 /S; QC KS",
        ["1 a lose 400+0=400/0/0", "1 s half_lose 400+0=200/0/200", "2 b win 400+400=0/800/0"]
        + ["2 s win 200+400=0/600/0"],
    ),
    (
        "T-6 opening: also where the odd card has closed the bet",
        "stos",
        OPENING,
        "deal 1; bet a 1 400 Q; bet b 1 400 K; bet s 1 400 /S; QS KS",
        ["1 a lose 400+0=400/0/0", "1 s lose 400+0=400/0/0", "2 b win 400+400=0/800/0", "2 s win 0+400=0/400/0"],
    ),
    (
        "T-6 opening and grow: half of the start is added to what the odd card left",
        "stos",
        OPENING,
        "deal 1; bet a 1 400 Q; bet s 1 400 /S; QC 2D; bet b 1 400 K; bet c 1 400 A; KC AC",
        [
            "1 a lose 400+0=400/0/0",
            "1 s half_lose 400+0=200/0/200",
            "3 s half_lose 200+0=100/0/100",
            "3 b lose 400+0=400/0/0",
            "4 s half_win 100+100=0/0/200",
            "4 c win 400+400=0/800/0",
        ],
    ),
    (
        "T-6 opening and restore: what the odd card took counts as the last halving",
        "stos",
        {**OPENING, "half_win_reduced": "restore"},
        "deal 1; bet a 1 400 Q; bet s 1 400 /S; QC 2D; bet b 1 400 K; bet c 1 400 A; KS AC",
        [
            "1 a lose 400+0=400/0/0",
            "1 s half_lose 400+0=200/0/200",
            "3 s lose 200+0=200/0/0",
            "3 b lose 400+0=400/0/0",
            "4 s half_win 0+200=0/200/0",
            "4 c win 400+400=0/800/0",
        ],
    ),
    (
        "T-12 a split leaves the suit bet as it is, and dormant",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; QS QC; withdraw s",
        ["1 a split 400+0=400/0/0", "2 s withdrawn 300+0=0/300/0"],
    ),
    (
        "T-6 T-13 no card touches a dormant bet; a rank bet wakes it",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; QD 2S; QS 3S; bet b 1 400 K; 4S KS",
        ["1 a lose 400+0=400/0/0", "6 s win 300+300=0/600/0", "6 b win 400+400=0/800/0"],
    ),
    (
        "T-14 what stands at the end is returned",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 300 /S; 2C 3C; end",
        ["2 a returned 400+0=0/400/0", "2 s returned 300+0=0/300/0"],
    ),
    (
        "C-14 rank and suit bets of one card come in the order in which they were placed",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet s 1 400 /S; bet b 2 400 Q; bet t 2 400 /C; bet k 3 400 K; QS KC",
        ["1 a lose 400+0=400/0/0", "1 s lose 400+0=400/0/0", "1 b lose 400+0=400/0/0"]
        + ["1 t half_lose 400+0=200/0/200", "2 k win 400+400=0/800/0"],
    ),
    # --- pharaon
    (
        "F-3 half of a split is taken, the rest returned",
        "pharaon",
        {"split_take": "1/2"},
        "deal 1; bet a 1 300 Q; cut; QC QD",
        ["1 a split 300+0=150/150/0"],
    ),
    (
        "F-4 the very last card neither wins nor loses: a bet on its rank is returned",
        "pharaon",
        {"deck": 32, "last_card_void": True},
        "deal 1; bet a 1 100 Q; cut; 7C QC; paroli b a; 7D QD; paroli c b; 7H QH; paroli d c; "
        f"7S 8C 8D 8H 8S; {ranks('9', 'J')}; {ranks('K', 'A')}; QS",
        ["2 a win 100+100=0/200/0", "4 b win 200+200=0/400/0", "6 c win 400+400=0/800/0"] + ["32 d push 800+0=0/800/0"],
    ),
    (
        "F-4 a split of the last turn is taken whole, whatever split_take says",
        "pharaon",
        {"deck": 32, "last_card_void": True, "split_take": "1/2"},
        "deal 1; bet a 1 100 Q; cut; 7C QC; paroli b a; 7D QD; paroli c b; "
        f"7H 8C; 7S 8D; 8H 8S; {ranks('9', 'J')}; {ranks('K', 'A')}; QH QS",
        ["2 a win 100+100=0/200/0", "4 b win 200+200=0/400/0", "31 c split 400+0=400/0/0"],
    ),
    (
        "F-5 a position pays a multiple, another takes a share",
        "pharaon",
        {"positions": {"2": "3", "3": "1/2"}},
        "deal 1; bet a 1 300 Q; bet b 1 300 K; cut; 2C QC; KC 3C",
        ["2 a win 300+900=0/1200/0", "3 b lose 300+0=150/150/0"],
    ),
    (
        "F-5 a position that is turned round",
        "pharaon",
        {"positions": {"1": {"side": "win", "times": "2"}, "2": {"side": "lose", "times": "1/3"}}},
        "deal 1; bet a 1 300 Q; bet b 1 300 K; cut; QC KC",
        ["1 a win 300+600=0/900/0", "2 b lose 300+0=100/200/0"],
    ),
    (
        "F-5 a split is never turned round: it counts 1",
        "pharaon",
        {"positions": {"1": {"side": "win", "times": "2"}}, "split_take": "1/2"},
        "deal 1; bet a 1 300 Q; cut; QC QD",
        ["1 a split 300+0=150/150/0"],
    ),
    (
        "F-6 thirds of full, half and plain colour, won and lost",
        "pharaon",
        {"thirds": True},
        "deal 1; bet a 1 300 QS; bet b 2 300 QC; bet c 3 300 QD; bet d 4 300 KH; bet e 5 300 KD; cut; QS KH",
        ["1 a lose 300+0=300/0/0", "1 b lose 300+0=200/100/0", "1 c lose 300+0=100/200/0"]
        + ["2 d win 300+300=0/600/0", "2 e win 300+200=0/500/0"],
    ),
    (
        "F-6 in a split the odd card's suit counts",
        "pharaon",
        {"thirds": True},
        "deal 1; bet a 1 300 QS; cut; QC QS",
        ["1 a split 300+0=200/100/0"],
    ),
    (
        "F-7 the very first card takes only half",
        "pharaon",
        {"half_stake": True},
        "deal 1; bet a 1 300 Q; bet b 1 300 K; cut; QC 2D; KC 3C",
        ["1 a lose 300+0=150/150/0", "3 b lose 300+0=300/0/0"],
    ),
    (
        "F-9 factors multiply and are rounded once: 100 x 2/3 x 1/2 x 1/2 x 1/2 is 8, taken down",
        "pharaon",
        {"thirds": True, "half_stake": True, "split_take": "1/2", "positions": {"1": "1/2"}},
        "deal 1; bet a 1 100 QS; cut; QC QS",
        ["1 a split 100+0=8/92/0"],
    ),
    (
        "F-10 paroli, sept et le va, quinze et le va: net gains of 3, 7 and 15 kush",
        "pharaon",
        {},
        "deal 1; bet a 1 100 Q; cut; 2C QC; paroli b a; 3C QD; paroli c b; 4C QH; paroli d c; 5C QS",
        ["2 a win 100+100=0/200/0", "4 b win 200+200=0/400/0", "6 c win 400+400=0/800/0"]
        + ["8 d win 800+800=0/1600/0"],
    ),
    (
        "F-10 a paroli may exceed the maximum",
        "pharaon",
        {"max": "100"},
        "deal 1; bet a 1 100 Q; cut; 2C QC; paroli b a; QD 3C",
        ["2 a win 100+100=0/200/0", "3 b lose 200+0=200/0/0"],
    ),
    (
        "F-10 C-14 the corner of a sealed bet is bent after it was opened",
        "pharaon",
        {},
        "deal 1; bet a 1 100 ?; cut; 2C QC; reveal a QH; paroli b a; QD 3C",
        ["2 a win 100+100=0/200/0", "3 b lose 200+0=200/0/0"],
    ),
    # --- common
    (
        "C-8 where a bet names no amount, it is the minimum",
        "stuss",
        {},
        "deal 1; bet a 1 - Q; QC 2C",
        ["1 a lose 100+0=100/0/0"],
    ),
    (
        "C-11 a misdeal returns what stands; the open turn is cancelled",
        "stuss",
        {},
        "deal 1; bet a 1 100 K; bet b 2 100 Q; 2C KC; QC; misdeal",
        ["2 a win 100+100=0/200/0", "2 b void 100+0=0/100/0"],
    ),
    (
        "C-12 corrections add up, each against the record before it",
        "stuss",
        {},
        "deal 1; bet a 1 100 K; bet b 2 100 Q; 2C KC; fix a seat=5; fix 2=QC; bet c 1 300 J; JC 3C",
        ["2 b win 100+100=0/200/0!", "3 c lose 300+0=300/0/0"],
    ),
    (
        "C-12 the odd card of a cancelled turn may be corrected",
        "stuss",
        {},
        "deal 1; bet a 1 100 K; KC; misdeal; fix 1=QC",
        ["0 a void 100+0=0/100/0"],
    ),
    (
        "C-12 a pocket card and a played one are swapped",
        "stuss",
        {},
        f"deal 1; bet a 1 100 A; {ranks('2', 'K')}; pocket AC AD AH AS; fix 48=AC 49=KS",
        ["48 a win 100+100=0/200/0!"],
    ),
    (
        "C-12 a stos rank bet that was a suit bet",
        "stos",
        {},
        "deal 1; bet a 1 400 Q; bet b 1 400 K; 2C 3C; fix b suit=S; 4C QS",
        ["4 a win 400+400=0/800/0", "4 b win 400+400=0/800/0"],
    ),
    (
        "C-12 the opened card of a sealed private bet",
        "private",
        {},
        "deal 1; bet a 1 100 ?; cut; QC KC; reveal a 2S; fix a card=KS",
        ["2 a win 100+100=0/200/0!"],
    ),
    (
        "C-12 its rank alone will do, and its seat and amount go with it",
        "pharaon",
        {},
        "deal 1; bet a 1 100 ?; cut; QC KC; reveal a 2S; fix a rank=K seat=3 amount=700",
        ["2 a win 700+700=0/1400/0!"],
    ),
    (
        "C-12 an even card is taken back and another comes",
        "stuss",
        {},
        "deal 1; bet a 1 100 K; QC KC; fix 2=-; 2C",
        [],
    ),
    (
        "C-12 a bet that stood is inserted before the withdrawal that followed the last bet",
        "stuss",
        {},
        "deal 1; bet a 1 100 K; withdraw a; bet c 3 100 K; 2C KC; stood b 2 100 K after 0",
        ["0 a withdrawn 100+0=0/100/0", "2 c win 100+100=0/200/0", "2 b win 100+100=0/200/0!"],
    ),
]
LIMITS = ("min", "max", "chip", "seats", "banker")


@pytest.mark.parametrize(("game", "given", "story", "expected"), [s[1:] for s in STORIES], ids=[s[0] for s in STORIES])
def test_a_clause_settles(game: str, given: dict[str, Any], story: str, expected: list[str]) -> None:
    limits = {name: given[name] for name in LIMITS if name in given}
    rules = {name: value for name, value in given.items() if name not in LIMITS}
    assert settled(game, story, **limits, rules=rules) == expected
