"""A PIN of six digits: what is kept of it, which ones are refused."""

import pytest

from casino import settings as service
from tables import pins
from tables.rules.refusals import Refusal

KEY = "a key outside the database"


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "12a456", "12345६", " 12345", "123456\n"])
def test_what_is_not_six_digits_is_no_pin(pin):
    with pytest.raises(Refusal, match="A PIN has six digits") as refused:
        pins.check_form(pin)
    assert refused.value.code == "bad_pin"
    assert pin not in refused.value.message or pin == ""


@pytest.mark.parametrize("pin", ["000000", "777777", "123456", "567890", "987654", "210987"])
def test_a_pin_that_everybody_tries_first_is_refused(pin):
    with pytest.raises(Refusal) as refused:
        pins.check_form(pin)
    assert refused.value.code == "bad_pin"


def test_an_ordinary_pin_is_accepted():
    pins.check_form("580214")


def test_what_is_kept_is_argon2id_and_salted_so_that_equal_pins_look_different(settings):
    settings.PIN_TIME_COST, settings.PIN_MEMORY_KIB = service.PIN_TIME_COST, service.PIN_MEMORY_KIB
    first, second = pins.encode("580214", 7, KEY), pins.encode("580214", 7, KEY)
    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert "580214" not in first
    assert pins.matches("580214", 7, KEY, first)
    assert not pins.matches("580215", 7, KEY, first)


def test_a_stolen_row_is_worth_nothing_without_the_key():
    assert not pins.matches("580214", 7, "another key", pins.encode("580214", 7, KEY))


def test_a_row_copied_from_one_person_to_another_lets_nobody_in():
    dealers_own = pins.encode("580214", 7, KEY)
    assert not pins.matches("580214", 8, KEY, dealers_own)
