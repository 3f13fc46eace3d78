"""What a final report cannot let pass is on the auditor's list until somebody says how it ended."""

from datetime import UTC, date, datetime

import pytest
from django.db import DatabaseError, connection, transaction

from audit import follow_ups, queries
from audit.models import FollowUp, Report
from audit.refusals import ReportRefused
from audit.reports.shift_report import OPEN
from tables.actions import shifts
from tables.models import Casino, Entry, Text
from tables.rules.refusals import Refusal
from tests.audit.test_pages import squeezed, text_of
from tests.audit.test_revisions import made, table  # noqa: F401 # fixture
from tests.audit.test_verify_journal import behind_the_back
from tests.tables.a_game import bet, card

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def wrong(table):  # noqa: F811
    """A table where one settlement was changed behind the record's back, audited."""
    table.open(c1000=80)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), bet("b", 2, "K", "500"))
    tablet.send(card("KS"), card("QS"), {"type": "end"})
    behind_the_back("UPDATE tables_settlement SET paid_minor = 90000, returned_minor = 140000 WHERE outcome = 'win'")
    made(table, "payout_audit", table="S")
    return table


def on_the_list(**only) -> list[tuple[str, str, str, int]]:
    rows = FollowUp.objects.filter(**only).order_by("id")
    return list(rows.values_list("code", "deal", "bet", "amount_minor"))


def test_a_difference_is_on_the_list_once_however_many_reports_name_it(wrong):
    assert on_the_list(code="difference") == [("difference", "1", "a", 40000)]
    before = FollowUp.objects.count()
    made(wrong, "payout_audit", table="S")
    assert FollowUp.objects.count() == before
    serials = {each.serial for each in follow_ups.listed(Casino.objects.get().pk, settled=False)}
    assert serials == {Report.objects.order_by("id").first().serial}


def test_a_draft_puts_nothing_on_the_list(table):  # noqa: F811
    table.open(c1000=80)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("KS"), card("QS"))
    behind_the_back("UPDATE tables_settlement SET paid_minor = 90000, returned_minor = 140000 WHERE outcome = 'win'")
    assert made(table, "payout_audit", table="S").status == "draft"
    assert on_the_list() == []


def test_an_exception_has_an_owner_a_day_and_an_outcome_each_in_the_journal(wrong):
    pk = FollowUp.objects.get(code="difference").pk
    auditor = wrong["A-1"]
    with transaction.atomic():
        follow_ups.assign(pk, owner="I-1", due_on=date(2026, 12, 5), author=auditor, now=NOW)
        follow_ups.assign(pk, owner="P-1", due_on=date(2026, 12, 6), author=auditor, now=NOW)
    item = FollowUp.objects.get(pk=pk)
    assert (item.owner, item.due_on) == ("P-1", date(2026, 12, 6))
    with transaction.atomic():
        follow_ups.settle(pk, outcome="loss", note="The player had left.", author=auditor, now=NOW)
    types = list(Entry.objects.filter(type__startswith="exception").order_by("sequence").values_list("type", "author"))
    assert types == [("exception_assigned", "A-1"), ("exception_assigned", "A-1"), ("exception_settled", "A-1")]
    entry = Entry.objects.get(type="exception_settled")
    assert "The player had left" not in entry.text
    (settled,) = follow_ups.listed(item.casino_id, settled=True)
    assert (settled.item.outcome, settled.item.settled_by, settled.note) == ("loss", "A-1", "The player had left.")
    Text.objects.filter(sequence=entry.sequence, field="note").update(text=None, salt=None)
    (settled,) = follow_ups.listed(item.casino_id, settled=True)
    assert settled.note is None
    made(wrong, "payout_audit", table="S")
    audit = queries.payout_audit(Report.objects.latest("id").pk, NOW)
    # The next audit finds it again as its own first exception, and says how it ended.
    first = audit.follow_ups[0]
    assert (first.number, first.code, first.bet, first.owner, first.outcome) == (1, "difference", "a", "P-1", "loss")
    assert (first.serial, first.settled_by, first.note) == (item.report.serial, "A-1", "")
    assert squeezed(text_of(audit)).count("writtenoff,01.12.2026A-1") == 2, "in its own row, and in the follow-up"
    for deed in (
        lambda: follow_ups.settle(pk, outcome="loss", note="again", author=auditor, now=NOW),
        lambda: follow_ups.assign(pk, owner="I-1", due_on=date(2026, 12, 5), author=auditor, now=NOW),
    ):
        with pytest.raises(ReportRefused) as refused, transaction.atomic():
            deed()
        assert refused.value.code == "settled_already"


def test_each_exception_of_a_paper_says_in_its_row_what_has_become_of_it(wrong):
    auditor, first = wrong["A-1"], Report.objects.get().pk
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM audit_followup")
    assert squeezed(text_of(queries.payout_audit(first, NOW))).count("namedherefirst") >= 1
    made(wrong, "payout_audit", table="S")
    pk = FollowUp.objects.get(code="difference").pk
    for deed, said in (
        (lambda: None, "open,noowneryet"),
        (
            lambda: follow_ups.assign(pk, owner="I-1", due_on=date(2026, 12, 5), author=auditor, now=NOW),
            "open:I-1,until05.12.2026",
        ),
        (
            lambda: follow_ups.settle(pk, outcome="corrected", note="paid", author=auditor, now=NOW),
            "putrightintherecord,01.12.2026A-1",
        ),
    ):
        with transaction.atomic():
            deed()
        audit = queries.payout_audit(first, NOW)
        assert said in squeezed(text_of(audit))
        # What a test found has its own row, and is on the list as well.
        assert [each.finding for each in audit.follow_ups if each.finding] == [*range(1, len(audit.findings) + 1)]


def test_what_cannot_be_is_refused_and_leaves_no_trace(wrong):
    pk, auditor = FollowUp.objects.get(code="difference").pk, wrong["A-1"]
    day = date(2026, 12, 5)
    for deed, code in (
        (lambda: follow_ups.assign(pk, owner="X-99", due_on=day, author=auditor, now=NOW), "unknown_staff"),
        (lambda: follow_ups.assign(pk + 999, owner="I-1", due_on=day, author=auditor, now=NOW), "unknown_exception"),
        (lambda: follow_ups.settle(pk, outcome="forgotten", note="x", author=auditor, now=NOW), "bad_outcome"),
        (lambda: follow_ups.settle(pk, outcome="loss", note="  ", author=auditor, now=NOW), "bad_outcome"),
    ):
        with pytest.raises(ReportRefused) as refused, transaction.atomic():
            deed()
        assert refused.value.code == code
    with pytest.raises(Refusal), transaction.atomic():
        follow_ups.settle(pk, outcome="loss", note="x", author=wrong["I-1"], now=NOW)
    with pytest.raises(DatabaseError, match="follow_up_settled_whole"), transaction.atomic():
        FollowUp.objects.filter(pk=pk).update(outcome="loss")
    assert not Entry.objects.filter(type__startswith="exception").exists()


def test_the_page_lists_assigns_settles_and_says_what_is_overdue(wrong):
    auditor = wrong.house.session("A-1")
    pk = FollowUp.objects.get(code="difference").pk
    page = auditor.get("/exceptions/").content.decode()
    assert "settlement differs: S, 1, a" in page
    assert "400 RUB" in page
    said = {"owner": "p-1", "due_on": "2026-01-20"}
    assert auditor.post(f"/exceptions/{pk}/owner", said).status_code == 302
    assert "Overdue" in auditor.get("/exceptions/").content.decode()
    refused = auditor.post(f"/exceptions/{pk}/owner", {"owner": "nobody", "due_on": "2026-01-20"})
    assert (refused.status_code, "nobody of the house" in refused.content.decode()) == (409, True)
    hostile = '<b>x</b> <img src="http://127.0.0.1:9/x.png"/>'
    assert auditor.post(f"/exceptions/{pk}/outcome", {"outcome": "loss", "note": hostile}).status_code == 302
    assert "settlement differs" not in auditor.get("/exceptions/").content.decode()
    settled = auditor.get("/exceptions/", {"show": "settled"}).content.decode()
    assert "written off" in settled
    assert "&lt;img src=" in settled
    assert hostile not in settled
    auditor.post("/language/", {"language": "ru", "next": "/exceptions/"})
    assert "списано" in auditor.get("/exceptions/", {"show": "settled"}).content.decode()
    assert wrong.house.session("P-1").get("/exceptions/").status_code == 403


def test_a_shift_report_lists_what_it_calls_open(wrong):
    wrong.close(c1000=80)
    books = wrong.books()
    shifts.close_shift(
        wrong.house.casino_id, books.gaming_date, books.shift, author=wrong["S-1"], now=datetime.now(UTC)
    )
    report = made(wrong, gaming_date=books.gaming_date, shift=books.shift)
    assert report.status == "final"
    found = queries.shift_report(report.id, datetime.now(UTC))
    codes = sorted(FollowUp.objects.filter(report=report.id).values_list("code", flat=True))
    assert codes == sorted(each.code for each in found.exceptions if each.code in OPEN)
    assert {"differs", "residual"} & set(codes)
