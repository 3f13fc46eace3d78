"""The audit's pages and API: ask for a report, watch it being made, open it; and nobody sees more than his post."""

import re

import pytest
from django.test import Client
from playwright.sync_api import expect

from audit import actions, queries
from audit.models import Report
from tables.actions.importing import import_log
from tests.audit.test_audit_of_record import CASES
from tests.tables.a_house import PASSWORD, T0, a_house


@pytest.fixture
def house(db, settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path
    # The renewing thread has a connection of its own, which does not see what a test has not committed.
    monkeypatch.setattr(actions, "RENEW_SECONDS", 3600)
    settings.CELERY_BROKER_URL = ""
    return a_house()


def browser_of(number):
    client = Client()
    assert client.login(username=number, password=PASSWORD)
    return client


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


def ask(client, **wish):
    return client.post("/audit/", {"kind": "payout_audit", "table": "A", "language": "en"} | wish)


def test_the_auditor_asks_watches_and_opens(house):
    auditor = browser_of("A-1")
    asked = ask(auditor, table="A", language="ru")
    assert asked["Location"] == "/audit/PA-2026-000001/"
    assert "State: waits" in words(auditor.get("/audit/PA-2026-000001/"))
    assert auditor.get("/audit/PA-2026-000001.pdf").status_code == 409
    report = queries.report_by_serial("PA-2026-000001")
    assert actions.make(report.id, now=T0)
    done = words(auditor.get("/audit/PA-2026-000001/"))
    assert "State: done" in done
    report = queries.report_by_serial("PA-2026-000001")
    assert report.sha256 in done
    pdf = auditor.get("/audit/PA-2026-000001.pdf")
    assert (pdf["Content-Type"], pdf["Content-Disposition"]) == (
        "application/pdf",
        'inline; filename="PA-2026-000001.pdf"',
    )
    assert b"".join(pdf.streaming_content) == queries.file_of(report).read_bytes()


def test_the_pages_speak_the_readers_language(house):
    auditor = browser_of("A-1")
    auditor.post("/language/", {"language": "ru", "next": "/audit/"})
    ask(auditor)
    assert "Состояние: ждёт" in words(auditor.get("/audit/PA-2026-000001/"))
    assert "Аудит выплат" in words(auditor.get("/audit/"))


def test_a_pit_boss_sees_the_reports_of_his_pit_and_no_others(house):
    auditor, boss = browser_of("A-1"), browser_of("P-1")
    ask(auditor, table="A")
    ask(auditor, table="Z")
    ask(auditor, table="")
    listed = words(boss.get("/audit/"))
    assert "PA-2026-000001" in listed
    assert "PA-2026-000002" not in listed
    assert "PA-2026-000003" not in listed
    assert boss.get("/audit/PA-2026-000002/").status_code == 404
    assert boss.get("/audit/PA-2026-000003.pdf").status_code == 404
    assert boss.get("/api/reports/PA-2026-000002").status_code == 403
    assert [row["serial"] for row in boss.get("/api/reports").json()["results"]] == ["PA-2026-000001"]
    refused = ask(boss, table="Z")
    assert refused.status_code == 400
    assert "your post does not cover these tables" in words(refused)


def test_a_dealer_has_no_business_there_and_a_stranger_is_asked_who_he_is(house):
    assert browser_of("D-1").get("/audit/").status_code == 403
    assert Client().get("/audit/")["Location"] == "/login/?next=%2Faudit%2F"


def test_what_cannot_be_asked_is_said_beside_the_form(house):
    refused = ask(browser_of("A-1"), deal="77")
    assert refused.status_code == 400
    assert "this table has no deal of that name" in words(refused)
    assert not Report.objects.exists()


def test_a_report_can_be_called_off(house):
    auditor = browser_of("A-1")
    ask(auditor)
    assert auditor.post("/audit/PA-2026-000001/cancel/")["Location"] == "/audit/PA-2026-000001/"
    assert "State: called off" in words(auditor.get("/audit/PA-2026-000001/"))


def test_anybody_with_a_paper_in_hand_learns_whether_it_is_ours_and_nothing_else(house):
    ask(browser_of("A-1"))
    stranger = Client()
    assert stranger.get("/verify/PA-2026-000001").status_code == 404
    report = queries.report_by_serial("PA-2026-000001")
    actions.make(report.id, now=T0)
    answer = stranger.get("/verify/PA-2026-000001")
    assert answer.status_code == 200
    assert queries.report_by_serial("PA-2026-000001").sha256 in words(answer)
    assert stranger.get("/verify/PA-2026-000002").status_code == 404


def test_the_api_asks_tells_and_calls_off(house):
    auditor = house.session("A-1")
    asked = auditor.post("/api/reports", {"kind": "payout_audit", "table": "A"}, format="json")
    assert asked.status_code == 201
    serial = asked.json()["serial"]
    assert auditor.get(f"/api/reports/{serial}").json()["state"] == "requested"
    assert auditor.get(f"/api/reports/{serial}/file").json()["code"] == "unknown_report"
    assert auditor.delete(f"/api/reports/{serial}").json()["state"] == "cancelled"
    again = auditor.delete(f"/api/reports/{serial}")
    assert (again.status_code, again.json()["code"]) == (409, "report_finished")
    bad = auditor.post("/api/reports", {"kind": "shift_report", "table": "A"}, format="json")
    assert (bad.status_code, bad.json()["code"]) == (409, "bad_scope")
    assert house.client("A").get("/api/reports").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_report_turns_to_its_pdf_when_it_is_done(live_server, page, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    settings.CELERY_BROKER_URL = ""
    a_house()
    import_log((CASES / "gen-stuss-1.jsonl").read_bytes(), "test")
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{live_server.url}/login/?next=/audit/")
    page.fill("[name=username]", "A-1")
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.select_option("[name=table]", "T1")
    page.get_by_role("button", name="Make report").click()
    expect(page.get_by_role("status")).to_have_text("waits")
    actions.make(queries.report_by_serial("PA-2026-000001").id, now=T0)
    expect(page.get_by_role("status")).to_have_text("done", timeout=60_000)
    expect(page.get_by_role("link", name="Open PDF")).to_have_attribute("href", "/audit/PA-2026-000001.pdf")
    assert complaints == []


def test_reports_are_found_by_number_digest_kind_table_state_day_and_who_asked(house):
    auditor = browser_of("A-1")
    for wish in (
        {"table": "A"},
        {"table": "Z", "gaming_date": "2026-01-15"},
        {"table": "", "kind": "shift_report", "gaming_date": "2026-01-20"},
    ):
        assert ask(auditor, **wish).status_code == 302
    ask(browser_of("P-1"))
    actions.make(Report.objects.get(serial="PA-2026-000001").pk, now=T0)
    digest = Report.objects.get(serial="PA-2026-000001").sha256
    Report.objects.filter(gaming_date=None).update(asked_at=T0)

    def found(**search):
        rows = auditor.get("/api/reports", search).json()["results"]
        page = auditor.get("/audit/", search).content.decode()
        serials = [row["serial"] for row in rows]
        assert re.findall(r'<a href="/audit/([A-Z0-9-]+)/">', page) == serials
        return [serial.replace("-2026-00000", "") for serial in serials]

    assert found() == ["PA3", "SR1", "PA2", "PA1"]
    assert found(words="sr-") == ["SR1"]
    assert found(words=digest[:12].upper()) == ["PA1"]
    assert found(words="p-1") == ["PA3"]
    assert found(kind="payout_audit", table="Z") == ["PA2"]
    assert found(state="done") == ["PA1"]
    assert found(since="2026-01-15", until="2026-01-15") == ["PA3", "PA2", "PA1"], (
        "without a day: when it was asked for"
    )
    assert found(since="2026-01-16") == ["SR1"]
    assert found(words="' OR 1=1 --") == []
    assert auditor.get("/api/reports", {"since": "soon"}).status_code == 400
    assert auditor.get("/audit/", {"since": "soon"}).status_code == 200


def test_older_pages_keep_what_is_looked_for_and_count_what_one_may_see(house):
    auditor, boss = browser_of("A-1"), browser_of("P-1")
    ask(auditor, table="A")
    for _ in range(60):
        ask(auditor, table="Z")
    assert "PA-2026-000001" in words(boss.get("/audit/")), "others' reports leave no empty page"
    first = auditor.get("/audit/", {"table": "Z"}).content.decode()
    (older,) = re.findall(r'href="(\?[^"]*before=\d+)"', first)
    second = words(auditor.get("/audit/" + older.replace("&amp;", "&")))
    assert second.count("PA-2026-") == 10
    assert "PA-2026-000001" not in second
