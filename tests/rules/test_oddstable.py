"""The odds command: one object of fractions for a program, one page for a person, one line for what cannot be."""

import io
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tables import oddstable

ROOT = Path(__file__).parent.parent.parent


def ask(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return oddstable.main(words, out, err), out.getvalue(), err.getvalue()


def test_stuss_answers_from_a_full_shoe_with_fractions() -> None:
    status, out, err = ask("stuss")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "win": "400/833",
        "lose": "400/833",
        "split": "1532/38675",
        "pocket": "1/270725",
        "push": "0",
        "edge": "33/833",
        "variance": "692800/693889",
    }


def test_house_rules_and_a_later_point_are_heard() -> None:
    _, out, _ = ask("pharaon", "--undealt", "4", "--copies", "2", "--rules", '{"deck":32,"last_card_void":true}')
    assert json.loads(out)["win"] == "1/3"


def test_stos_tells_the_split_of_a_turn_from_the_edge_of_a_settled_bet() -> None:
    answer = json.loads(ask("stos")[1])
    assert answer["split_per_turn"] == str(Fraction(24 * 23, 312 * 311)) == "23/4043"
    assert round(float(Fraction(answer["edge"])), 4) == 0.0399


def test_stos_gives_the_suit_bet_under_every_choice_and_says_whom_it_favours() -> None:
    suit = json.loads(ask("stos", "--rules", '{"half_win_reduced":"restore"}')[1])["suit"]
    assert suit["choice"] == "sequence/close/restore"
    assert (suit["life"], suit["favours"]) == ("-0.020725942164", "player")
    assert suit["choices"].keys() == {
        f"{two_hits}/{half_win}/{reduced}"
        for two_hits in ("sequence", "opening")
        for half_win in ("close", "ride")
        for reduced in ("grow", "restore", "pay")
    }
    default = suit["choices"]["sequence/close/grow"]
    assert (default["next_turn"], default["next_turn_two_ranks"], default["life"]) == ("0", "27/16172", "0")
    assert (default["in_chips"]["1"]["life"], default["in_chips"]["1"]["favours"]) == ("-1/3", "player")


def test_one_suit_bet_can_be_asked_for_in_chips() -> None:
    suit = json.loads(ask("stos", "--amount", "10", "--min", "10")[1])["suit"]
    assert suit["in_chips"].keys() == {"10"}
    assert suit["in_chips"]["10"]["life"] == "0"


def test_a_second_rank_that_has_no_room_is_not_told_of() -> None:
    assert "next_turn_two_ranks" not in json.loads(ask("stos", "--undealt", "2", "--copies", "2")[1])["suit"]


def test_the_page_shows_every_game_and_both_figures_of_stos() -> None:
    status, out, err = ask("--all")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[3:7]] == ["stuss", "private", "stos", "pharaon"]
    assert "6 decks" + "0.57 %".rjust(33) + "3.99 %".rjust(30) in lines
    assert sum(line.endswith("player *") for line in lines) == 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["baccara"], "there is no game 'baccara'; there are stuss, private, stos, pharaon."),
        ([], "name a game or say --all."),
        (["stuss", "--copies", "x"], "'x' is no whole number above zero."),
        (["stuss", "--copies", "5"], "A shoe of stuss holds 1 to 4 undealt copies of a rank, not 5."),
        (["stuss", "--undealt", "7"], "Between two turns an even number of cards is undealt, not 7."),
        (["stuss", "--rules", "{"], "--rules is no JSON object."),
        (["stuss", "--rules", '{"deck":36}'], "bad_rules: stuss has no house rule 'deck'."),
        (["stuss", "--amount", "5"], "--amount and --min are of a suit bet; stuss has none."),
        (
            ["stos", "--amount", "101"],
            "the rounding of a suit bet is worked out up to 100 chips.",
        ),
        (["stos", "--amount", "2", "--min", "3"], "A suit bet of 2 chips cannot stand at a minimum of 3."),
        (["stuss", "--loud"], "unrecognized arguments: --loud"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value),
)
def test_what_cannot_be_is_refused_in_one_line(words: list[str], says: str) -> None:
    assert ask(*words) == (1, "", f"odds: {says}\n")


def test_the_command_runs_without_settings_or_database() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "odds", "private", "--undealt", "2", "--copies", "2"],
        cwd=ROOT,
        env={"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["split"], done.stderr) == (0, "1", "")
    refused = subprocess.run(
        [sys.executable, "manage.py", "odds", "whist"], cwd=ROOT, env={}, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (1, "", 1)


def test_the_page_in_the_documentation_is_the_page() -> None:
    documented = (ROOT / "docs" / "odds.md").read_text(encoding="utf-8")
    assert f"```text\n{ask('--all')[1]}```\n" in documented
