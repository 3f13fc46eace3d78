"""Planted bad shuffles are found, honest ones pass at the stated rate; the chances are those of the laws."""

import json
from datetime import UTC, datetime
from random import Random

import pytest

from audit import shuffle_lab
from audit.checks.shuffles import Shuffled, at_least_by_poisson, chance_of_chi_square, examine, heat_of
from tables.actions.importing import import_log
from tables.models import Deck, DeckStep, Table
from tests.audit.test_audit_of_record import audit_of
from tests.audit.test_pages import squeezed, text_of
from tests.tables.a_house import a_house

PACK = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]


def honest(cards, dice):
    return dice.sample(cards, len(cards))


def riffled(cards, dice):
    """Cut and riffle once, as Gilbert and Shannon describe it."""
    cut = sum(dice.random() < 0.5 for _ in cards)
    left, right, mixed = cards[:cut], cards[cut:], []
    while left or right:
        side = left if dice.random() * (len(left) + len(right)) < len(left) else right
        mixed.append(side.pop(0))
    return mixed


def overhand(cards, dice):
    """Take off a few packets: what lay together stays together."""
    mixed: list[str] = []
    rest = list(cards)
    while rest:
        packet = dice.randint(4, 12)
        mixed, rest = rest[:packet] + mixed, rest[packet:]
    return mixed


def thrice(cards, dice):
    return riffled(riffled(riffled(list(cards), dice), dice), dice)


def aces_late(cards, dice):
    """A stacked pack: one ace in four that would be among the first ten is put away to the end."""
    mixed = honest(cards, dice)
    for position in range(10):
        if mixed[position][0] == "A" and dice.random() < 0.5:
            mixed.append(mixed.pop(position))
    return mixed


def evening(shuffle, deals, dice, name="T1"):
    before, found = honest(PACK, dice), []
    for _ in range(deals):
        cards = shuffle(list(before), dice)
        found.append(Shuffled(cards, before, {"table": name}))
        before = cards
    return found


def bad(groups):
    return {measure.name for group in groups for measure in group.measures if measure.stands_out}


@pytest.mark.parametrize(
    ("shuffle", "deals", "found"),
    [
        (lambda cards, dice: list(cards), 5, {"positions", "neighbours", "rising", "likeness"}),
        (riffled, 5, {"neighbours", "rising", "likeness"}),
        (thrice, 20, {"neighbours", "rising"}),
        (overhand, 5, {"neighbours", "rising"}),
        (lambda cards, dice: cards[::-1], 5, {"rising", "likeness"}),
        (aces_late, 400, {"positions"}),
    ],
    ids=["none", "one riffle", "three riffles", "overhand", "turned round", "aces late"],
)
def test_a_planted_bad_shuffle_is_found_by_the_measures_that_it_offends(shuffle, deals, found):
    groups = examine(evening(shuffle, deals, Random(3)))
    assert found <= bad(groups)


def test_one_bad_table_among_twelve_honest_ones_is_the_only_one_named():
    dice = Random(11)
    deals = [deal for table in range(12) for deal in evening(honest, 40, dice, f"T{table}")]
    deals += evening(thrice, 40, dice, "bad")
    assert [group.name for group in examine(deals) if group.stands_out] == ["bad"]


def test_of_honest_evenings_one_in_a_hundred_at_most_raises_a_false_alarm():
    dice = Random(5)
    alarms = sum(bool(bad(examine(evening(honest, 12, dice)))) for _ in range(600))
    # 6 are expected at most; more than 14 would come once in a thousand times.
    assert alarms <= 14
    often = sum(bool(bad(examine(evening(honest, 12, dice), false_alarms=0.2))) for _ in range(200))
    assert 20 <= often <= 60, "and the rate is not merely small: it follows the one that is asked for"


def test_the_chances_of_honest_evenings_are_even():
    dice = Random(17)
    chances: dict[str, list[float]] = {"positions": [], "rising": [], "likeness": []}
    for _ in range(400):
        for group in examine(evening(honest, 8, dice)):
            for measure in group.measures:
                if measure.name in chances:
                    chances[measure.name].append(measure.chance)
    for name, found in chances.items():
        below = [sum(chance < level for chance in found) for level in (0.1, 0.5, 0.9)]
        # Of 400: 40, 200 and 360, within three standard deviations and a half.
        assert abs(below[0] - 40) < 21, (name, below)
        assert abs(below[1] - 200) < 35, (name, below)
        assert abs(below[2] - 360) < 21, (name, below)


def test_too_few_deals_say_nothing_and_a_pack_of_many_decks_has_no_neighbours_to_compare():
    dice = Random(2)
    (group,) = examine(evening(lambda cards, dice: list(cards), 4, dice))
    assert [measure.chance for measure in group.measures] == [None] * 4
    shoe = PACK * 6
    deals = [Shuffled(honest(shoe, dice), shoe, {"table": "S"}, pack=312) for _ in range(6)]
    (group,) = examine(deals)
    assert [(measure.name, measure.deals) for measure in group.measures] == [
        ("positions", 6),
        ("neighbours", 0),
        ("rising", 0),
        ("likeness", 0),
    ]
    assert 0.001 < group.measures[0].chance < 0.999


def test_a_shoe_that_is_dealt_to_its_cut_card_is_judged_by_what_came_and_honestly():
    dice, shoe = Random(23), PACK * 6
    chances: list[float] = []
    for _ in range(300):
        deals = [Shuffled(honest(shoe, dice)[: dice.randint(30, 60)], None, {"table": "S"}, pack=312) for _ in range(6)]
        (group,) = examine(deals)
        chances.append(group.measures[0].chance)
    below = [sum(chance < level for chance in chances) for level in (0.1, 0.5, 0.9)]
    # Of 300: 30, 150 and 270, within three standard deviations and a half.
    assert [
        abs(seen - expected) < width for seen, expected, width in zip(below, (30, 150, 270), (18, 30, 18), strict=True)
    ] == [True] * 3, below
    stacked = [Shuffled(sorted(honest(shoe, dice)[:40]), None, {"table": "S"}, pack=312) for _ in range(6)]
    assert bad(examine(stacked)) == {"positions"}


def test_the_chances_are_those_of_the_tables():
    assert chance_of_chi_square(18.307, 10) == pytest.approx(0.05, abs=1e-5)
    assert chance_of_chi_square(11.070, 5) == pytest.approx(0.05, abs=1e-5)
    assert chance_of_chi_square(0, 5) == 1
    assert at_least_by_poisson(0, 3.0) == 1
    assert at_least_by_poisson(1, 1.0) == pytest.approx(0.6321205588)
    assert at_least_by_poisson(10, 1.0) == pytest.approx(1.114e-7, rel=1e-3)
    assert at_least_by_poisson(200, 5.0) < 1e-200


def test_the_picture_has_each_rank_at_each_position_in_standard_deviations():
    heat = dict(heat_of([PACK] * 13))
    assert list(heat) == list("23456789TJQKA")
    assert heat["2"][0] == pytest.approx((13 - 1) / (1 * 12 / 13) ** 0.5)
    assert heat["2"][51] == pytest.approx(-1 / (12 / 13) ** 0.5)


STUSS = {"type": "table", "table": "S", "game": "stuss", "currency": "RUB", "min": "100", "max": "10000", "chip": "50"}


def log_of(shuffle, deals, dice, way):
    """A log of an evening of empty stuss deals, each dealt to its pocket."""
    rows, before = [STUSS], honest(PACK, dice)
    for name in range(1, deals + 1):
        before = shuffle(list(before), dice)
        rows.append({"type": "deal", "deal": str(name), "shuffle": way})
        rows += [{"type": "card", "card": card} for card in before[:48]]
        rows.append({"type": "pocket", "cards": before[48:]})
    rows.append({"type": "deal", "deal": "stopped"})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def step(deck, number: int, step: str, table) -> None:
    done = {"author": "K-1", "second": "I-1", "done_at": datetime.now(UTC), "sequence": number}
    DeckStep.objects.create(deck=deck, number=number, step=step, table=table, **done)


@pytest.mark.django_db
@pytest.mark.parametrize(("shuffle", "stands"), [(honest, False), (riffled, True)])
def test_the_lab_reads_the_record_and_shows_what_stands_out(shuffle, stands):
    house = a_house()
    # The table's first deal came before these decks, the others lay in them.
    lines = log_of(shuffle, 8, Random(7), "one riffle").splitlines(keepends=True)
    import_log(b"".join(lines[:51]))
    table = Table.objects.get(code="S")
    decks = [
        Deck.objects.create(casino_id=house.casino_id, serial=each, size=52, sequence=1) for each in ("B-2", "B-1")
    ]
    for deck in decks:
        step(deck, 1, "received", None)
        step(deck, 2, "in_service", table)
    import_log(b"".join([lines[0], *lines[51:]]))
    step(decks[0], 3, "retired", None)
    auditor, boss = house.session("A-1"), house.session("P-1")
    lab = shuffle_lab.look(house.casino_id, table="S")
    assert (lab.judged, lab.left_aside) == (8, 1)
    assert [(group.kind, group.name, group.deals, group.stands_out) for group in lab.groups] == [
        ("shoe", "B-1, B-2", 7, stands),
        ("table", "S", 8, stands),
        ("way", "one riffle", 8, stands),
    ]
    page = auditor.get("/shuffles/", {"table": "S"}).content.decode()
    assert ("Too regular, or too uneven, for luck." in page) is stands
    assert "8 deals judged, 1 left aside" in page
    assert 'class="more"' in page
    auditor.post("/language/", {"language": "ru", "next": "/shuffles/"})
    assert "Рассмотрено талий: 8" in auditor.get("/shuffles/", {"table": "S"}).content.decode()
    assert "Судить не по чему" in auditor.get("/shuffles/", {"table": "S", "since": "2099-01-01"}).content.decode()
    assert boss.get("/shuffles/").status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize(("shuffle", "out"), [(honest, set()), (riffled, {"neighbours", "rising", "likeness"})])
def test_the_payout_audit_judges_splits_and_shuffles_of_its_deals(shuffle, out):
    audit = audit_of(import_log(log_of(shuffle, 8, Random(7), "one riffle")).table)
    tests = {test.measure: test for test in audit.chances}
    assert {name for name, test in tests.items() if test.stands_out} == out
    # 24 turns a deal; before the first one a deck splits with 3 in 51, and on average with as much later on.
    assert (tests["splits"].over, tests["positions"].over, tests["neighbours"].over) == (192, 8, 7)
    assert tests["splits"].expected == pytest.approx(192 / 17, abs=1)
    assert ("standsout" in squeezed(text_of(audit))) is bool(out)
