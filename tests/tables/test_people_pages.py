"""Log-in, language and a person's own page, as a person meets them."""

import pytest
from axe_playwright_python.sync_playwright import Axe
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


def bar_of(number: str) -> list[str]:
    page = logged_in(number).get("/me/").content.decode()
    return [address for address in ("/pit/", "/audit/", "/me/") if f'href="{address}"' in page]


def test_the_bar_offers_nobody_a_page_that_he_may_not_see():
    a_house()
    assert {number: bar_of(number) for number in ("D-1", "I-1", "P-1", "A-1")} == {
        "D-1": ["/me/"],
        "I-1": ["/pit/", "/me/"],
        "P-1": ["/pit/", "/audit/", "/me/"],
        "A-1": ["/pit/", "/audit/", "/me/"],
    }


@pytest.mark.parametrize("language", ["en", "ru"])
def test_log_in_and_own_page_are_found_fault_with_by_no_axe(language, live_server, browser):
    a_house()
    context = browser.new_context(viewport={"width": 800, "height": 1280}, locale=language)
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    found = [Axe().run(page).response["violations"]]
    page.get_by_role("textbox").first.fill("d-1")
    page.locator("#id_password").fill(PASSWORD)
    page.locator("main button").click()
    page.wait_for_url("**/me/")
    found.append(Axe().run(page).response["violations"])
    context.close()
    assert found == [[], []]
