"""What stands on paper is what the data says, in both languages, whatever people typed."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

import pypdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from audit.reports.figures import MINUS, THIN, Figures
from audit.reports.fonts import TEXT
from audit.reports.payout_audit_pdf import write_payout_audit
from audit.reports.pen import Face, as_seen, wrap
from audit.reports.sheet import LANDSCAPE, PORTRAIT
from audit.reports.shift_report_pdf import write_shift_report
from tests.audit import samples

ALMATY = ZoneInfo("Asia/Almaty")
HOSTILE = 'Иванов & Сын <b>x</b> <img src="http://127.0.0.1:9/x.png"/> (\\) Қазақ 中 😀 \u202e'


def pdf_of(report, language="en"):
    write = write_payout_audit if hasattr(report, "deals") else write_shift_report
    file = io.BytesIO()
    pages = write(report, file, language=language, zone=ALMATY)
    reader = pypdf.PdfReader(io.BytesIO(file.getvalue()))
    assert len(reader.pages) == pages
    return reader


def text_of(report, language="en"):
    return "\n".join(page.extract_text() for page in pdf_of(report, language).pages)


def squeezed(text):
    """Text without the breaks that lines and columns put into it."""
    return re.sub(r"\s+", "", text)


def test_every_settlement_of_the_audit_stands_in_its_annex_with_its_five_amounts():
    audit = samples.payout_audit(150)
    figures = Figures("en", ALMATY)
    printed = squeezed(text_of(audit))
    for deal in audit.deals:
        for line in deal.lines:
            assert line.bet in printed
            assert squeezed(figures.amount(line.returned_minor)) in printed
    total = audit.total
    for minor in (total.handle_minor, total.taken_minor, total.paid_minor, total.game_win_minor):
        assert squeezed(figures.amount(minor)) in printed


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_opinion_counts_what_agrees_and_what_does_not(language):
    said = {
        "en": "297agreetothelastchip.3differenceswerefound,of150together(net+150infavouroftheplayers)",
        "ru": "297сходятсядопоследнейфишки.Найдено3расхождения,вместена150(витоге+150впользуигроков)",
    }
    assert said[language] in squeezed(text_of(samples.payout_audit(300), language))


def test_an_audit_without_differences_says_none_on_its_first_page():
    first = pdf_of(samples.payout_audit(40, differences=0)).pages[0].extract_text()
    assert "All agree to the last chip" in squeezed_words(first)
    assert "2  Exceptions\nNone." in first


def squeezed_words(text):
    return re.sub(r"\s+", " ", text)


def test_a_loss_has_a_true_minus_and_russian_figures_a_decimal_comma():
    assert Figures("ru", ALMATY, whole=False).amount(-123_456_750) == f"{MINUS}1{THIN}234{THIN}567,50"
    assert Figures("en", ALMATY, whole=False).amount(-123_456_750) == f"{MINUS}1{THIN}234{THIN}567.50"
    assert Figures("ru", ALMATY).ratio(-0.356, 2, sign=True) == f"{MINUS}0,36"
    assert Figures("en", ALMATY).ratio(-0.001, 2, sign=True) == "0.00"
    assert Figures("en", ALMATY).chance(0.00213) == "0.0021"


def test_each_page_says_which_of_how_many_it_is():
    reader = pdf_of(samples.payout_audit(400))
    count = len(reader.pages)
    assert count > 4
    for number, page in enumerate(reader.pages, start=1):
        assert f"Page {number} of {count}" in squeezed_words(page.extract_text())


def test_the_head_of_the_annex_stands_on_each_of_its_pages():
    pages = pdf_of(samples.payout_audit(400)).pages
    for page in pages[3:]:
        words = page.extract_text().split()
        assert [words.count(head) for head in ("Stake", "Returned", "Standing")] == [1, 1, 1]


def test_the_same_data_gives_the_same_bytes():
    first, second = io.BytesIO(), io.BytesIO()
    for file in (first, second):
        write_payout_audit(samples.payout_audit(60), file, language="ru", zone=ALMATY)
    assert first.getvalue() == second.getvalue()


def test_the_house_fonts_are_embedded_with_cyrillic_suits_and_the_rouble():
    reader = pdf_of(replace(samples.payout_audit(60), currency="RUB"), "ru")
    names, texts = set(), ""
    for page in reader.pages:
        for font in page["/Resources"]["/Font"].values():
            described = font.get_object().get("/FontDescriptor")
            if described is not None:
                assert "/FontFile2" in described.get_object()
                names.add(described.get_object()["/FontName"].split("+")[1])
        texts += page.extract_text()
    assert names == {"DejaVuSansCondensed", "DejaVuSansCondensed-Bold", "DejaVuSerif-Bold", "DejaVuSansMono"}
    for character in "Ж♠♥♦♣₽":
        assert character in texts


def test_what_people_typed_is_printed_as_typed_and_what_no_glyph_shows_as_a_box_with_its_code():
    printed = squeezed(text_of(samples.payout_audit(30, reason=HOSTILE)))
    assert squeezed('Иванов & Сын <b>x</b> <img src="http://127.0.0.1:9/x.png"/> (\\) Қазақ') in printed
    assert "4E2D" in printed
    assert "1F600" in printed
    assert "202E" in printed


LONG = "ж" * 5_000 + " " + "слово и слово, " * 1_000


def runs(reader) -> Iterator[tuple[float, float]]:
    """Where each run of text that the pages show begins and ends."""
    for page in reader.pages:
        for resources, stream in [(page["/Resources"], page.get_contents())]:
            fonts = {name: font.get_object() for name, font in resources["/Font"].items()}
            x = size = used = 0.0
            scale, font = 1.0, {}
            # Whatever stands in the page's own space: the watermark is turned, the form has a place of its own.
            inside = 0
            for operands, operator in pypdf.generic.ContentStream(stream, reader).operations:
                if operator in (b"q", b"Q"):
                    inside += 1 if operator == b"q" else -1
                elif operator == b"Tf":
                    font, size = fonts[operands[0]], float(operands[1])
                elif operator == b"Tz":
                    scale = float(operands[0]) / 100
                elif operator == b"Tm":
                    x, used = float(operands[4]), 0.0
                elif operator == b"Tj":
                    said = operands[0]
                    codes = said.original_bytes if hasattr(said, "original_bytes") else bytes(said)
                    first, widths = font["/FirstChar"], font["/Widths"]
                    wide = sum(float(widths[code - first]) for code in codes) / 1000 * size * scale
                    if inside <= 1:
                        yield x + used, x + used + wide
                    used += wide


@pytest.mark.parametrize(
    ("report", "paper"),
    [
        (lambda: samples.payout_audit(30, reason=LONG), PORTRAIT),
        (lambda: samples.shift_report_of(LONG, name="X"), LANDSCAPE),
        (lambda: samples.shift_report_of(HOSTILE, name=HOSTILE), LANDSCAPE),
    ],
    ids=["an audit's long note", "a shift's long notes", "hostile names throughout a shift"],
)
def test_whatever_people_wrote_stays_inside_the_margins(report, paper):
    found = list(runs(pdf_of(report())))
    assert len(found) > 500
    assert min(start for start, _end in found) >= paper.left - 0.01
    assert max(end for _start, end in found) <= paper.width - paper.right + 0.5


def test_a_note_of_twenty_thousand_characters_is_printed_whole():
    for report, times in ((samples.payout_audit(30, reason=LONG), 1), (samples.shift_report_of(LONG, name="X"), 6)):
        printed = squeezed(text_of(report))
        assert printed.count("ж") >= 5_000 * times
        assert printed.count("слово") == 2_000 * times


@pytest.mark.parametrize("language", ["en", "ru"])
def test_hostile_names_in_a_shift_report_are_printed_as_typed_or_as_boxes(language):
    name = 'Иванов & Сын <b>x</b> <img src="http://127.0.0.1:9/x.png"/> Қазақ שולחן 中文 😀 \u202e'
    reader = pdf_of(samples.shift_report_of(name, name=name), language)
    printed = squeezed("\n".join(page.extract_text() for page in reader.pages))
    typed = squeezed('Иванов & Сын <b>x</b> <img src="http://127.0.0.1:9/x.png"/> Қазақ')
    # Head of each page, tables, people, devices, notes: however narrow the column, nothing of it is dropped.
    assert printed.count(typed) > 40
    for code in ("4E2D", "6587", "1F600", "202E"):
        assert printed.count(code) > 40, code
    # Nothing that a reader would fetch, run or open by itself.
    whole = b"".join(reader.stream.getvalue().split())
    for sign in (b"/URI", b"/Launch", b"/JavaScript", b"/OpenAction", b"/Annots", b"/EmbeddedFile"):
        assert sign not in whole


def test_no_line_is_wider_than_its_room():
    face = Face(TEXT, Canvas(io.BytesIO()))
    for text in (HOSTILE * 20, "x" * 900, "a  b " * 50, "один\nдва\n\nтри", ""):
        for room in (12, 40, 300):
            lines = wrap(face, text, 8, room)
            assert all(face.width(line) * 8 <= room or len(line) == 1 for line in lines)
            assert squeezed("".join(lines)) == squeezed(text)


def test_a_bank_of_a_player_is_in_no_sum_of_the_house():
    report = samples.shift_report(4)
    (floor,) = report.parts
    private = next(row for row in floor.rows if row.game == "private")
    house = [row.result for row in floor.rows if row.game != "private"]
    assert floor.total.game_win_minor == sum(result.game_win_minor for result in house)
    printed = squeezed(text_of(report))
    assert f"{private.table}{private.pit}¹".replace(" ", "") in printed
    assert squeezed(Figures("en", ALMATY).amount(floor.total.game_win_minor)) in printed


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_floor_of_sixty_tables_keeps_its_total_beside_a_row(language):
    reader = pdf_of(samples.shift_report(60), language)
    total = {"en": "All tables", "ru": "Все столы"}[language]
    holder = [page.extract_text() for page in reader.pages if total in page.extract_text()]
    assert len(holder) == 1
    assert {"en": "Stuss, all", "ru": "Штосс, всего"}[language] in holder[0]
    exceptions = {"en": "Exceptions, open ones first", "ru": "Исключения, сначала открытые"}[language]
    assert [exceptions in page.extract_text() for page in reader.pages[:3]] == [True, False, False]


def test_a_grid_that_leaves_the_pictures_a_little_too_little_draws_them_closer_and_not_on_another_page():
    report = samples.shift_report(14, counted=True)
    report = replace(report, parts=[replace(part, exact_tail=0.31) for part in report.parts])
    first, second = pdf_of(report, "ru").pages[:2]
    assert "Холд по столам" in first.extract_text()
    assert "Фишки и наличные по открытиям" in second.extract_text()


@pytest.mark.parametrize("tables", [14, 15, 16, 17, 18])
def test_whatever_the_grid_takes_the_exceptions_are_named_on_the_first_page(tables):
    first = pdf_of(samples.shift_report(tables)).pages[0]
    assert "Exceptions, open ones first" in first.extract_text()


def test_an_audit_of_what_no_seal_covers_yet_says_so_in_its_annex():
    assert "No seal covered these journals when this report was made." in text_of(samples.payout_audit(30))


def test_a_draft_says_so_across_every_page():
    audit = samples.payout_audit(300)
    reader = pdf_of(replace(audit, imprint=replace(audit.imprint, status="draft")))
    for page in reader.pages:
        assert page.extract_text().count("DRAFT") >= 2


def test_a_hebrew_name_stands_as_it_is_read_and_the_line_around_it_runs_on():
    assert as_seen("שולחן 12, deal 3") == "12 ןחלוש, deal 3"
    assert as_seen("Стол 7, талья 1") == "Стол 7, талья 1"
    face = Face(TEXT, Canvas(io.BytesIO()))
    _width, runs, _literal = face.learn("שולחן 12, deal 3")
    assert runs == face.encode("12 ןחלוש, deal 3")


def test_no_head_of_a_column_is_broken_inside_its_word():
    face = Face(TEXT, Canvas(io.BytesIO()))
    assert wrap(face, "Возвращено всего", 7.2, 20, whole_words=True) == ["Возвращено", "всего"]
    heads = squeezed_words(text_of(samples.payout_audit(30), "ru"))
    for head in ("Возвращено", "Выплачено", "Остаётся", "Пересчитано"):
        assert head in heads
