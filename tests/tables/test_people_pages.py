"""Log-in, language and a person's own page, as a person meets them."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tables.models import Staff
from tests.tables.a_house import PASSWORD, PIN, House, a_house

pytestmark = pytest.mark.django_db


def logged_in(number: str) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.get(username=number))
    return client


def test_a_person_logs_in_by_number_in_any_case_and_lands_at_his_work():
    a_house()
    client = Client()
    for number, address in (("p-1", "/pit/"), ("A-1", "/audit/"), (" x-1 ", "/pit/"), ("d-1", "/me/")):
        client.post("/logout/")
        assert client.post("/login/", {"username": number, "password": PASSWORD})["Location"] == "/"
        assert client.get("/")["Location"] == address


def test_a_wrong_password_says_so_and_lets_nobody_in():
    a_house()
    answer = Client().post("/login/", {"username": "P-1", "password": "wrong"})
    assert "Not logged in: staff number or password is wrong." in answer.content.decode()
    assert "_auth_user_id" not in answer.client.session


def test_a_pin_is_no_log_in():
    a_house()
    answer = Client().post("/login/", {"username": "P-1", "password": PIN["P-1"]})
    assert "_auth_user_id" not in answer.client.session


def test_who_is_not_logged_in_is_asked_to_and_comes_back():
    a_house()
    answer = Client().get("/pit/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=%2Fpit%2F")


def test_a_page_outside_ones_posts_is_not_shown():
    a_house()
    answer = logged_in("D-1").get("/pit/")
    assert answer.status_code == 403
    assert "Your posts do not include this page." in answer.content.decode()


def test_a_log_in_that_is_no_staff_sees_nothing():
    get_user_model().objects.create_user("stranger")
    assert [logged_in("stranger").get(page).status_code for page in ("/", "/pit/", "/me/")] == [403, 403, 403]


def test_the_language_is_kept_with_the_person_and_comes_back_on_another_screen():
    a_house()
    logged_in("P-1").post("/language/", {"language": "ru", "next": "/pit/"})
    assert Staff.objects.get(number="P-1").language == "ru"
    elsewhere = Client()
    elsewhere.post("/login/", {"username": "P-1", "password": PASSWORD})
    assert 'lang="ru"' in elsewhere.get("/me/").content.decode()


def test_a_language_we_do_not_speak_changes_nothing():
    a_house()
    logged_in("P-1").post("/language/", {"language": "xx", "next": "/pit/"})
    assert Staff.objects.get(number="P-1").language == "en"


def changes_pin(house: House, old: str, new: str, again: str) -> str:
    body = {"old": old, "new": new, "again": again}
    return logged_in("D-1").post("/me/", body).content.decode()


def test_a_person_changes_his_own_pin_knowing_the_old_one():
    house = a_house()
    assert "The two new PINs differ." in changes_pin(house, PIN["D-1"], "660913", "660914")
    assert "the present PIN is wrong" in changes_pin(house, "000111", "660913", "660913")
    assert "not six the same" in changes_pin(house, PIN["D-1"], "444444", "444444")
    assert house.sign_on("A", "D-1", pin="660913").status_code == 403
    assert "Your PIN is changed." in changes_pin(house, PIN["D-1"], "660913", "660913")
    assert house.sign_on("A", "D-1", pin="660913").status_code == 201
    assert house.sign_on("A", "D-1").json()["code"] == "wrong_pin"
