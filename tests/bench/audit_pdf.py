"""How long a payout audit takes as PDF, and how much memory, at 100,000 and at 200,000 settlements.

Each size is written in a process of its own, so that its memory is its own; the data is made before the clock starts.
"""

import resource
import subprocess
import sys
import tempfile
import time
from zoneinfo import ZoneInfo

SIZES = (100_000, 200_000)
MOST_SECONDS = 10.0
MOST_MEGABYTES = 150
MOST_RATIO = 2.2


def main() -> None:
    """Print seconds, megabytes and pages of each size, and how they grow."""
    seconds: list[float] = []
    for size in SIZES:
        said = subprocess.run(
            [sys.executable, "-m", "tests.bench.audit_pdf", str(size)], check=True, capture_output=True, text=True
        )
        took, worked, before, peak, pages = said.stdout.split()
        seconds.append(float(worked))
        rate = size / float(worked)
        print(f"{size:,} settlements: {float(took):.1f} s, {float(worked):.1f} s of one core, {rate:,.0f} rows/s of it")
        print(f"  {pages} pages; at most {peak} MB, {before} MB of it before a page was written")
    print(f"twice as many take {seconds[1] / seconds[0]:.2f} times as long (at most {MOST_RATIO})")
    print(f"targets at 100,000: {MOST_SECONDS:.0f} s, {MOST_MEGABYTES} MB")


def measure(size: int) -> None:
    """Write one report and print seconds, megabytes before and at most, pages."""
    import django
    from django.conf import settings

    settings.configure(USE_I18N=True, LANGUAGE_CODE="en", USE_TZ=True)
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
    measure(int(sys.argv[1]))
