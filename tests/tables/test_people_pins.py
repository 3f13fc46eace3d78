"""Wrong PINs: how they add up, where they count, and that a PIN or token is nowhere to be read afterwards."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction

from tables.actions import people
from tables.models import Device, PinAttempt
from tables.rules.refusals import Refusal
from tests.tables.a_house import PIN, T0, House, a_house

pytestmark = pytest.mark.django_db


def tries(house: House, pin: str, *, seconds: float, number: str = "D-1", device: str | None = "A") -> str:
    """Let a person try a PIN so many seconds after T0: his number, or the seconds to wait (0: none)."""
    device_id = Device.objects.get(code=f"tablet-{device}").pk if device else None
    now = T0 + timedelta(seconds=seconds)
    try:
        author = people.verify_pin(casino_id=house.casino_id, number=number, pin=pin, device_id=device_id, now=now)
    except Refusal as refusal:
        return f"wait {refusal.facts.get('wait_seconds', 0)}" if refusal.code == "wrong_pin" else str(refusal)
    return author.number


def test_four_wrong_pins_are_forgiven_and_the_fifth_makes_a_person_wait():
    house = a_house()
    answers = [tries(house, "000111", seconds=n) for n in range(5)]
    assert answers == ["wait 0", "wait 0", "wait 0", "wait 0", "wait 30"]


def test_while_he_waits_the_right_pin_is_not_looked_at_and_makes_the_wait_no_longer():
    house = a_house()
    for n in range(5):
        tries(house, "000111", seconds=n)
    assert tries(house, PIN["D-1"], seconds=4.5) == "wait 30"
    assert tries(house, "000111", seconds=30) == "wait 4"
    assert tries(house, PIN["D-1"], seconds=34) == "D-1"


def test_each_further_wrong_pin_doubles_the_wait_and_a_right_one_forgives_all():
    house = a_house()
    for n in range(5):
        tries(house, "000111", seconds=n)
    assert tries(house, "000111", seconds=40) == "wait 60"
    assert tries(house, "000111", seconds=101) == "wait 120"
    assert tries(house, PIN["D-1"], seconds=300) == "D-1"
    assert tries(house, "000111", seconds=301) == "wait 0"


def test_the_wait_is_of_one_person_on_one_device():
    house = a_house()
    for n in range(5):
        tries(house, "000111", seconds=n)
    assert tries(house, PIN["D-1"], seconds=5, device="B") == "D-1"
    assert tries(house, PIN["D-2"], seconds=5, number="D-2") == "D-2"
    assert tries(house, PIN["D-1"], seconds=5, device=None) == "D-1"
    assert tries(house, PIN["D-1"], seconds=5) == "wait 29"


def test_nobody_learns_from_the_answer_whether_a_staff_number_exists():
    house = a_house()
    messages = []
    for number in ("D-1", "D-77", "A-1"):  # a wrong PIN, nobody, somebody without a PIN
        with pytest.raises(Refusal) as refused:
            people.verify_pin(casino_id=house.casino_id, number=number, pin="000111", device_id=None, now=T0)
        messages.append((refused.value.code, refused.value.message, refused.value.facts))
    assert messages == [("wrong_pin", "Staff number or PIN is wrong.", {})] * 3


def test_a_person_who_starts_to_wait_is_an_entry_in_the_casinos_journal():
    house = a_house()
    before = len(house.journal())
    for n in range(4):
        tries(house, "000111", seconds=n)
    assert house.journal()[before:] == []
    tries(house, "000111", seconds=5)
    assert house.journal()[before:] == [("pin_delayed", "")]


def test_a_new_pin_forgets_the_failures_of_the_old_one():
    house = a_house()
    for n in range(5):
        tries(house, "000111", seconds=n)
    people.set_pin(staff_id=house.staff["D-1"], pin="660913", by=house.author("X-1"), now=T0 + timedelta(seconds=6))
    assert tries(house, "660913", seconds=7) == "D-1"
    assert tries(house, PIN["D-1"], seconds=8) == "wait 0"


def test_a_pin_is_set_by_the_administrator_alone():
    house = a_house()
    with pytest.raises(Refusal) as refused:
        people.set_pin(staff_id=house.staff["D-1"], pin="660913", by=house.author("P-1"), now=T0)
    assert refused.value.code == "not_allowed"
    assert tries(house, PIN["D-1"], seconds=1) == "D-1"


@pytest.mark.django_db(transaction=True)
def test_a_wrong_pin_counts_although_the_deed_it_was_meant_for_was_undone():
    house = a_house()
    assert house.sign_on("A", "D-1", pin="000111").status_code == 403
    assert list(PinAttempt.objects.values_list("staff__number", "failure_count")) == [("D-1", 1)]
    with pytest.raises(RuntimeError, match="durable atomic block cannot be nested"), transaction.atomic():
        people.verify_pin(casino_id=house.casino_id, number="D-1", pin="000111", device_id=None, now=T0)


@pytest.mark.django_db(transaction=True)
def test_twelve_guesses_sent_at_once_are_not_twelve_free_guesses():
    house = a_house()

    def guess(number: int) -> str:
        try:
            return str(tries(house, f"00011{number % 10}", seconds=1))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(guess, range(12)))
    assert sorted(answers) == ["wait 0"] * 4 + ["wait 30"] * 8
    assert PinAttempt.objects.get().failure_count == 5


def test_no_pin_and_no_token_is_in_any_log_entry_answer_or_row(caplog):
    caplog.set_level(logging.DEBUG)
    house = a_house()
    started = house.sign_on("A", "D-1").json()
    answers = [house.sign_on("A", "D-2", pin="835501").content.decode() for _try in range(6)]
    answers.append(house.sign_on("A", "D-2", device="A2", relieve=True).content.decode())
    rows = "\n".join(every_row())
    secrets = {"580214", "771938", "835501", *house.tokens.values(), started["signon"]}
    assert len(secrets) == 9
    for secret in secrets:
        assert secret not in rows
        assert secret not in "\n".join(answers)
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name != "django.db.backends")
    for secret in secrets:
        assert secret not in logged


def every_row() -> list[str]:
    """The whole database as text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        rows: list[str] = []
        for table in tables:
            cursor.execute(f'SELECT to_jsonb(t)::text FROM "{table}" t')
            rows += [text for (text,) in cursor.fetchall()]
    return rows
