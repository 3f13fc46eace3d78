"""What machines ask of the service: is it well, and how much of everything. No name, no sum of money."""

from collections.abc import Iterator

from django.db import DatabaseError, connection

_GAUGES = """
SELECT 'casino_tables', 'state', h.state, count(*)::float8 FROM tables_tablehead h GROUP BY h.state
UNION ALL SELECT 'casino_alerts_unseen', 'level', level, count(*) FROM tables_alert WHERE seen_at IS NULL GROUP BY level
UNION ALL SELECT 'casino_corrections_waiting', '', '', count(*) FROM tables_waitingcorrection WHERE state = 'waiting'
UNION ALL SELECT 'casino_signons', 'role', role, count(*) FROM tables_signon WHERE ended_at IS NULL GROUP BY role
UNION ALL SELECT 'casino_journal_entries_total', '', '', (SELECT COALESCE(sum(sequence), 0) FROM tables_tablehead)
    + (SELECT COALESCE(sum(sequence), 0) FROM tables_casinohead)
UNION ALL SELECT 'casino_consoles_heard', '', '', count(*) FROM tables_devicesight s JOIN tables_device d
    ON d.id = s.device_id AND d.revoked_at IS NULL WHERE s.seen_at > clock_timestamp() - interval '30 seconds'
UNION ALL SELECT 'casino_tables_without_kept_odds', '', '', count(*) FROM tables_tablehead h
    LEFT JOIN tables_oddshead o ON o.table_id = h.table_id
    WHERE h.last_deal_id IS NOT NULL AND h.sequence > COALESCE(o.sequence, 0)
ORDER BY 1, 3
"""
HELP = {
    "casino_tables": "Tables by state.",
    "casino_alerts_unseen": "Alerts that nobody has seen.",
    "casino_corrections_waiting": "Corrections that wait for a second person.",
    "casino_signons": "People signed on at tables, by role.",
    "casino_journal_entries_total": "Entries of all journals.",
    "casino_consoles_heard": "Consoles heard in the last 30 seconds.",
    "casino_tables_without_kept_odds": "Tables whose last turns the worker has not looked at yet.",
}


def gauges() -> Iterator[tuple[str, str, str, float]]:
    """Yield metric, label, the label's value, and the figure; a metric's rows together."""
    with connection.cursor() as cursor:
        cursor.execute(_GAUGES)
        yield from cursor.fetchall()


def is_well() -> bool:
    """Say whether the database answers and has the tables that this build knows."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM tables_alert LIMIT 1")
        return True
    except DatabaseError:
        return False
