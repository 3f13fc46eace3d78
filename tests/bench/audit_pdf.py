"""How long a payout audit takes as PDF, and how much memory, at 100,000 and at 200,000 settlements.

Each size is written in a process of its own, so that its memory is its own; the data is made before the clock starts.
Beside it, the same twelve columns by other means, with as many rows as they can bear: bare text objects, one a column
and page, and nothing else on the page; ReportLab's LongTable; WeasyPrint, where it is installed.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import IO
from zoneinfo import ZoneInfo

SIZES = (100_000, 200_000)
MOST_SECONDS = 10.0
MOST_MEGABYTES = 150
MOST_RATIO = 2.2
ROWS_A_PAGE = 60
# How many rows each of the other ways is given: LongTable's time grows with the square of them.
OTHERS = {"text objects alone": (100_000,), "LongTable": (5_000, 10_000), "WeasyPrint": (2_000, 4_000)}


def main() -> None:
    """Print seconds, megabytes and pages of each size, and how they grow."""
    seconds: list[float] = []
    most = 0
    for size in SIZES:
        said = subprocess.run(
            [sys.executable, "-m", "tests.bench.audit_pdf", str(size)], check=True, capture_output=True, text=True
        )
        took, worked, before, peak, pages = said.stdout.split()
        seconds.append(float(worked))
        most = most or int(peak)
        rate = size / float(worked)
        print(f"{size:,} settlements: {float(took):.1f} s, {float(worked):.1f} s of one core, {rate:,.0f} rows/s of it")
        print(f"  {pages} pages; at most {peak} MB, {before} MB of it before a page was written")
    print(f"twice as many take {seconds[1] / seconds[0]:.2f} times as long (at most {MOST_RATIO})")
    print(f"targets at 100,000: {MOST_SECONDS:.0f} s, {MOST_MEGABYTES} MB")
    for name, sizes in OTHERS.items():
        if name == "WeasyPrint" and find_spec("weasyprint") is None:
            print("WeasyPrint: not installed (pip install weasyprint, in an environment of its own)")
            continue
        for size in sizes:
            said = subprocess.run(
                [sys.executable, "-m", "tests.bench.audit_pdf", str(size), name],
                check=True,
                capture_output=True,
                text=True,
            )
            worked, peak = said.stdout.split()
            rate = size / float(worked)
            print(f"{name}, {size:,} rows: {float(worked):.1f} s of one core, {rate:,.0f} rows/s, {peak} MB")
    ratio = seconds[1] / seconds[0]
    if seconds[0] > MOST_SECONDS or most > MOST_MEGABYTES or ratio > MOST_RATIO:
        sys.exit("audit_pdf: below its target")


def _rows(size: int) -> Sequence[Sequence[str]]:
    row = ("12", "24", "7-113", "7", "Q♠", "win", "2\u202f500", "2\u202f500", "0", "5\u202f000", "0", "✓")
    return [row] * size


def _text_objects(size: int, file: IO[bytes]) -> None:
    from reportlab.pdfgen.canvas import Canvas

    from audit.reports.fonts import TEXT
    from audit.reports.pen import MM, Pen

    canvas, rows = Canvas(file, invariant=1, pageCompression=1), _rows(size)
    pen = Pen(canvas)
    for start in range(0, size, ROWS_A_PAGE):
        page = rows[start : start + ROWS_A_PAGE]
        for column in range(12):
            cells = [(800 - 12 * line, row[column]) for line, row in enumerate(page)]
            pen.column(cells, 50 + 40 * column, room=14 * MM, name=TEXT, size=7.4)
        canvas.showPage()
    canvas.save()


def _long_table(size: int, file: IO[bytes]) -> None:
    from reportlab.lib.pagesizes import A4
    from reportlab.platypus import LongTable, SimpleDocTemplate

    SimpleDocTemplate(file, pagesize=A4).build([LongTable(_rows(size), repeatRows=1, colWidths=[40] * 12)])


def _weasyprint(size: int, file: IO[bytes]) -> None:
    import weasyprint  # type: ignore[import-not-found, import-untyped, unused-ignore] # only where somebody wants to compare

    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in _rows(size))
    weasyprint.HTML(string=f"<table>{cells}</table>").write_pdf(file)


def other(size: int, name: str) -> None:
    """Write so many rows by another way and print seconds of a core and megabytes."""
    ways: dict[str, Callable[[int, IO[bytes]], None]] = {
        "text objects alone": _text_objects,
        "LongTable": _long_table,
        "WeasyPrint": _weasyprint,
    }
    with tempfile.TemporaryFile() as file:
        worked = time.process_time()
        ways[name](size, file)
        print(time.process_time() - worked, _megabytes())


def measure(size: int) -> None:
    """Write one report and print seconds, megabytes before and at most, pages."""
    import django
    from django.conf import settings

    # What the report needs and no more: web pages and their frameworks are not what is measured.
    apps = ["django.contrib.contenttypes", "django.contrib.auth", "pgtrigger", "tables", "audit"]
    settings.configure(USE_I18N=True, LANGUAGE_CODE="en", USE_TZ=True, INSTALLED_APPS=apps)
    django.setup()
    from audit.reports.payout_audit_pdf import write_payout_audit
    from tests.audit.samples import payout_audit

    audit = payout_audit(size)
    before = _megabytes()
    with tempfile.TemporaryFile() as file:
        start, worked = time.perf_counter(), time.process_time()
        pages = write_payout_audit(audit, file, language="en", zone=ZoneInfo("Asia/Almaty"))
        print(time.perf_counter() - start, time.process_time() - worked, before, _megabytes(), pages)


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    if len(sys.argv) > 2:
        other(int(sys.argv[1]), sys.argv[2])
    else:
        measure(int(sys.argv[1]))
