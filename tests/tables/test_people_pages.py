"""Log-in, language and a person's own page, as a person meets them."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tables.models import LogInAttempt, Staff
from tests.browser.barriers import barriers
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


def tried(number: str, password: str, address: str = "10.0.0.7") -> list[str]:
    """What the log-in page answers; nothing where it lets the person in."""
    answer = Client(REMOTE_ADDR=address).post("/login/", {"username": number, "password": password})
    return [] if answer.status_code == 302 else list(answer.context["form"].non_field_errors())


def test_the_fifth_wrong_password_makes_a_person_wait_and_then_the_right_one_is_not_looked_at():
    house = a_house()
    wrong = "Not logged in: staff number or password is wrong."
    assert [tried("P-1", "wrong") for _ in range(4)] == [[wrong]] * 4
    before = len(house.journal())
    assert tried("P-1", "wrong") == [wrong, "The next attempt counts in 30 s."]
    assert house.journal()[before:] == [("log_in_delayed", "")]
    first, wait = tried("P-1", PASSWORD)
    assert first == wrong
    assert wait in {f"The next attempt counts in {seconds} s." for seconds in (28, 29, 30)}
    assert tried("P-1", PASSWORD, address="10.0.0.8") == []
    assert tried("A-1", PASSWORD) == []


def test_a_right_password_forgives_the_wrong_ones_before_it():
    a_house()
    for _ in range(2):
        for _ in range(4):
            tried("P-1", "wrong")
        assert tried("P-1", PASSWORD) == []


def test_an_unknown_staff_number_is_answered_like_a_wrong_password():
    a_house()
    assert tried("Q-7", "wrong") == tried("P-1", "wrong") == ["Not logged in: staff number or password is wrong."]


def test_behind_a_trusted_proxy_the_address_is_the_one_that_the_proxy_saw(settings):
    a_house()
    settings.TRUST_PROXY = True
    for number in range(5):
        sent = {"X-Forwarded-For": f"203.0.113.{number}, 192.0.2.9"}
        Client(headers=sent).post("/login/", {"username": "P-1", "password": "wrong"})
    assert list(LogInAttempt.objects.values_list("address", "failure_count")) == [("192.0.2.9", 5)]


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
    found = [barriers(page)]
    page.get_by_role("textbox").first.fill("d-1")
    page.locator("#id_password").fill(PASSWORD)
    page.locator("main button").click()
    page.wait_for_url("**/me/")
    found.append(barriers(page))
    context.close()
    assert found == [[], []]
