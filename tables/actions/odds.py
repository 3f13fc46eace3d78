"""Keep what turns could expect, so that no reader computes it again. It judges nothing and moves no journal."""

from django.db import connection, transaction

from tables.models import OddsHead, TurnOdds
from tables.queries import theory
from tables.queries.theory import Reckoned

DEALS_AT_ONCE = 20  # of one table
TABLES_AT_ONCE = 50
_LOCK = 0x0DD5  # one process at a time does it; another has nothing to wait for


def keep_odds() -> int:
    """Keep the odds of turns that are not kept yet, of some tables whose journal moved; return how many turns."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(
            "SELECT h.table_id, COALESCE(o.deal_number, 0), h.sequence FROM tables_tablehead h"
            " LEFT JOIN tables_oddshead o ON o.table_id = h.table_id"
            " WHERE h.last_deal_id IS NOT NULL AND h.sequence > COALESCE(o.sequence, 0)"
            " ORDER BY o.sequence IS NOT NULL, h.table_id LIMIT %s",
            [TABLES_AT_ONCE],
        )
        tables = {table: (through, sequence) for table, through, sequence in cursor.fetchall()}
        deals = theory.deals_of_tables({table: through for table, (through, _) in tables.items()}, DEALS_AT_ONCE)
        kept = 0
        for each in theory.reckon(deals):
            kept += _keep(each)
            if each.deal.final:
                tables[each.deal.table_id] = (each.deal.number, tables[each.deal.table_id][1])
        at_the_last = {deal.table_id for deal in deals if not deal.final}
        for table, (through, sequence) in tables.items():
            # Where more deals wait than are taken at once, the table is taken again.
            OddsHead.objects.update_or_create(
                table_id=table, defaults={"deal_number": through, "sequence": sequence if table in at_the_last else 0}
            )
        return kept


def _keep(reckoned: Reckoned) -> int:
    if not reckoned.certain or reckoned.turns is None:
        return 0
    new = reckoned.turns[reckoned.known :]
    if not reckoned.known:
        TurnOdds.objects.filter(deal_id=reckoned.deal.id).delete()  # of before a correction, if any
    rows = []
    for turn in new:
        mean, spread, ways = theory.in_whole_numbers(turn.step)
        rows.append(
            TurnOdds(
                deal_id=reckoned.deal.id,
                turn=turn.step.turn,
                position=turn.step.position,
                pocket=turn.step.pocket,
                sequence=reckoned.sequence,
                happened_at=turn.happened_at,
                dealer=turn.dealer,
                undealt=turn.step.undealt,
                mean=mean,
                spread=spread,
                split_ways=ways,
                split=turn.step.split,
                win_minor=turn.step.actual,
            )
        )
    fields = [
        *("position", "pocket", "sequence", "happened_at", "dealer", "undealt"),
        *("mean", "spread", "split_ways", "split", "win_minor"),
    ]
    TurnOdds.objects.bulk_create(rows, update_conflicts=True, unique_fields=["deal", "turn"], update_fields=fields)
    return len(new)
