"""The payout audit's pages. Says what the data says: computes no figure of its own."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import IO
from zoneinfo import ZoneInfo

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from audit.reports import masthead, words
from audit.reports.dispute_lines import dispute_cells, dispute_columns, mispay_cells, mispay_columns
from audit.reports.figures import NONE, Figures
from audit.reports.fonts import MONO
from audit.reports.payout_audit import Amounts, Correction, Difference, FollowedUp, Group, PayoutAudit
from audit.reports.pen import MM
from audit.reports.sheet import PORTRAIT, Column, Head, Row, Sheet

# The annex: widths in millimetres of the 176 that a page has, fixed so that it is written as it is read.
_ANNEX = (12.0, 10.5, 18.0, 12.0, 13.5, 18.5, 15.8, 16.4, 15.8, 17.8, 16.3, 9.5)


def write_payout_audit(
    audit: PayoutAudit,
    file: IO[bytes],
    *,
    language: str,
    zone: ZoneInfo,
    on_page: Callable[[int], None] = lambda _page: None,
) -> int:
    """Write the audit as PDF into the file and return its number of pages."""
    with translation.override(language):
        return _Pages(audit, file, language, zone, on_page).write()


class _Pages:
    def __init__(
        self,
        audit: PayoutAudit,
        file: IO[bytes],
        language: str,
        zone: ZoneInfo,
        on_page: Callable[[int], None],
    ) -> None:
        self.audit = audit
        self.figures = Figures(language, zone, audit.digits, audit.whole)
        engines = (_("Engines"), f"{audit.first_engine}, {audit.second_engine}", False)
        self.sheet = Sheet(
            file,
            PORTRAIT,
            audit.imprint,
            Head(
                _("Payout audit"),
                self._scope(),
                masthead.note(audit.imprint, self.figures, [audit.currency]),
                masthead.facts(audit.imprint, self.figures, last=[engines]),
            ),
            language,
            masthead.journals_line(audit.journals, _("all ranges and heads in section %(number)d") % {"number": 13}),
            on_page,
        )

    def write(self) -> int:
        self._population()
        self._opinion()
        self._exceptions()
        self._integrity()
        self._method()
        self._roundings()
        self._kinds()
        self._groups()
        self._dealers()
        self._rulings()
        self._casekeep()
        self._corrections()
        self._follow_ups()
        masthead.write_journals(self.sheet, self.figures, _("13  Journals this report rests on"), self.audit.journals)
        self._signatures()
        self._seal()
        self._annex()
        return self.sheet.finish()

    def _scope(self) -> str:
        scope, figures = self.audit.scope, self.figures
        tables = (
            ", ".join(scope.tables) if len(scope.tables) <= 6 else _("%(count)d tables") % {"count": len(scope.tables)}
        )
        if scope.deal:
            return _("%(tables)s, deal %(deal)s") % {"tables": tables, "deal": scope.deal}
        if scope.gaming_date and scope.shift is not None:
            return _("Gaming day %(day)s, shift %(shift)d, %(tables)s") % {
                "day": figures.day(scope.gaming_date),
                "shift": scope.shift,
                "tables": tables,
            }
        if scope.gaming_date:
            return _("Gaming day %(day)s, %(tables)s") % {"day": figures.day(scope.gaming_date), "tables": tables}
        if scope.since or scope.until:
            bound = scope.since or scope.until
            assert bound is not None
            return _("%(tables)s, %(since)s to %(until)s, %(zone)s") % {
                "tables": tables,
                "since": figures.moment(scope.since) if scope.since else "…",
                "until": figures.moment(scope.until) if scope.until else "…",
                "zone": figures.offset(bound),
            }
        return _("%(tables)s, all deals on record") % {"tables": tables}

    def _population(self) -> None:
        figures = self.figures

        def cells(name: str, of: object) -> list[str]:
            counts = [getattr(of, key) for key in ("tables", "deals", "turns", "bets", "settlements")]
            sums = [getattr(of, key) for key in ("handle_minor", "taken_minor", "paid_minor", "game_win_minor")]
            return [name, *map(figures.count, counts), *map(figures.amount, sums)]

        self.sheet.heading(_("1  Scope and population"))
        self.sheet.table(
            [
                Column(_("Population, 100 %"), "left"),
                Column(_("Tables")),
                Column(_("Deals")),
                Column(_("Turns")),
                Column(_("Bets")),
                Column(_("Settlements")),
                Column(_("Handle")),
                Column(_("Taken")),
                Column(_("Paid")),
                Column(_("Game win")),
            ],
            [
                *(cells(words.game(item.game), item) for item in self.audit.populations),
                Row(cells(_("All"), self.audit.total), "total"),
            ],
        )

    def _opinion(self) -> None:
        audit, figures = self.audit, self.figures
        count = audit.total.settlements
        if not count and not audit.differences:
            self.sheet.boxed(_("Opinion."), _("There is no settlement in this scope: nothing was audited."))
            return
        parts = [
            ngettext(
                "The one settlement on record was recomputed from the recorded bets and cards by a second program "
                "that shares no code with the one that recorded it.",
                "Every one of %(count)s settlements was recomputed from the recorded bets and cards by a second "
                "program that shares no code with the one that recorded them.",
                count,
            )
            % {"count": figures.count(count)},
        ]
        if audit.differences:
            gross = sum(abs(item.difference_minor) for item in audit.differences)
            net = sum(item.difference_minor for item in audit.differences)
            parts.append(
                ngettext("%(count)s agrees to the last chip.", "%(count)s agree to the last chip.", audit.agreeing)
                % {"count": figures.count(audit.agreeing)}
            )
            parts.append(
                ngettext(
                    "%(count)s difference was found, of %(gross)s (net %(net)s in favour of the players); it is "
                    "listed in section 2.",
                    "%(count)s differences were found, of %(gross)s together (net %(net)s in favour of the players); "
                    "each is listed in section 2.",
                    len(audit.differences),
                )
                % {
                    "count": figures.count(len(audit.differences)),
                    "gross": figures.amount(gross),
                    "net": figures.signed(net),
                }
            )
        else:
            parts.append(_("All agree to the last chip; no settlement lacks a bet, no bet lacks a settlement."))
        failed = audit.failed_tests
        if failed:
            parts.append(
                ngettext(
                    "%(count)s test of the population did not pass: section 3.",
                    "%(count)s tests of the population did not pass: section 3.",
                    failed,
                )
                % {"count": figures.count(failed)}
            )
        self.sheet.boxed(_("Opinion."), " ".join(parts))

    def _exceptions(self) -> None:
        figures = self.figures
        self.sheet.heading(_("2  Exceptions"))
        if not self.audit.differences:
            self.sheet.paragraph(_("None."))
            return
        listed = {item.number: item for item in self.audit.follow_ups if item.number}
        rows: list[Row | list[str]] = []
        for item in self.audit.differences:
            rows.append(
                [
                    figures.count(item.number),
                    f"{item.table}, {item.deal}, {item.turn}",
                    f"{item.bet}: {item.seat}, {item.on}",
                    self._amounts(item, item.recorded, item.recorded_outcome),
                    self._amounts(item, item.recomputed, item.recomputed_outcome),
                    figures.signed(item.difference_minor),
                    words.favour(item.favour),
                    ", ".join(self._class(item)),
                    self._disposition(listed.get(item.number)),
                ]
            )
        gross = sum(abs(item.difference_minor) for item in self.audit.differences)
        net = sum(item.difference_minor for item in self.audit.differences)
        favour = words.favour("player" if net > 0 else "house" if net < 0 else "none")
        rows.append(
            Row(
                [
                    "",
                    _("Net; gross %(gross)s") % {"gross": figures.amount(gross)},
                    "",
                    "",
                    "",
                    figures.signed(net),
                    favour,
                    "",
                    "",
                ],
                "sub",
            )
        )
        self.sheet.table(
            [
                Column(_("No.")),
                Column(_("Table, deal, turn"), "left", stretch=2),
                Column(_("Bet: seat, on"), "left", stretch=2),
                Column(_("Recorded"), "left", stretch=2),
                Column(_("Recomputed"), "left", stretch=2),
                Column(_("Difference")),
                Column(_("In favour of"), "left"),
                Column(_("Class"), "left", stretch=1),
                Column(_("Disposition"), "left", stretch=1.4),
            ],
            rows,
            note=_(
                "Difference: what the players were given beyond what was due to them (paid less taken, recorded "
                "against recomputed). Recorded and recomputed show what differs. Disposition: as the auditor's list of "
                "exceptions had it when this paper was made; section 12 says more."
            ),
        )

    def _disposition(self, item: FollowedUp | None) -> str:
        """Say what has become of an exception: how it ended, or who has it and until when."""
        if item is None:
            return _("named here first") if self.audit.imprint.status == "final" else _("not listed: a draft")
        if item.settled_at is not None:
            outcome = words.OUTCOMES_OF_EXCEPTIONS[item.outcome]
            return f"{outcome}, {self.figures.moment(item.settled_at)[:10]} {item.settled_by}"
        if item.due_on is None:
            return _("open, no owner yet")
        return _("open: %(owner)s, until %(day)s") % {"owner": item.owner, "day": f"{item.due_on:%d.%m.%Y}"}

    def _class(self, item: Difference) -> list[str]:
        parts = [words.difference_class(item.kind)]
        if item.corrected:
            parts.append(_("corrected"))
        if item.by == "first":
            parts.append(_("only by engine %(engine)s") % {"engine": self.audit.first_engine})
        if item.by == "second":
            parts.append(_("only by engine %(engine)s") % {"engine": self.audit.second_engine})
        return parts

    def _amounts(self, item: Difference, amounts: Amounts | None, outcome: str) -> str:
        if amounts is None:
            return NONE
        other = item.recomputed if amounts is item.recorded else item.recorded
        named = zip(Amounts._fields, amounts, other or (None,) * 5, strict=True)
        parts = [
            f"{words.amount_name(name)} {self.figures.amount(mine)}" for name, mine, theirs in named if mine != theirs
        ]
        if item.recorded_outcome != item.recomputed_outcome or not parts:
            parts.insert(0, words.outcome(outcome))
        return "; ".join(parts)

    def _integrity(self) -> None:
        figures = self.figures
        self.sheet.heading(_("3  Integrity of the population"))
        self.sheet.table(
            [
                Column(_("Test"), "left", stretch=1),
                Column(_("Examined")),
                Column(_("Found")),
                Column(_("Result"), "left", width=34 * MM),
            ],
            [
                [
                    words.integrity_test(test.code),
                    pgettext("examined", "all") if test.examined is None else figures.count(test.examined),
                    figures.count(test.found),
                    _("passed") if not test.found else _("not passed"),
                ]
                for test in self.audit.tests
            ],
        )
        self._chances()
        if not self.audit.findings:
            return
        listed = {item.finding: item for item in self.audit.follow_ups if item.finding}
        self.sheet.space(2)
        self.sheet.table(
            [
                Column(_("What did not pass"), "left", stretch=3),
                Column(_("Table, deal"), "left", stretch=1),
                Column(_("Found"), "left", stretch=4),
                Column(_("Disposition"), "left", stretch=2),
            ],
            [
                [
                    words.integrity_test(finding.test),
                    f"{finding.table}, {finding.deal}" if finding.deal else finding.table,
                    words.cards(finding.what),
                    self._disposition(listed.get(number)),
                ]
                for number, finding in enumerate(self.audit.findings, start=1)
            ],
            size=7.4,
            row=4 * MM,
        )

    def _chances(self) -> None:
        """Say whether splits and orders of cards are what honest shuffles give."""
        figures = self.figures
        if not self.audit.chances:
            return
        self.sheet.space(2)
        self.sheet.table(
            [
                Column(_("How the cards fell"), "left", stretch=1),
                Column(_("Examined")),
                Column(pgettext("measure", "Seen")),
                Column(_("Expected")),
                Column(_("Chance")),
                Column(_("Result"), "left", width=34 * MM),
            ],
            [
                [
                    f"{words.game(test.game)}, {words.measure(test.measure)}",
                    figures.count(test.over),
                    figures.ratio(test.seen, 0 if test.measure == "splits" else 2) if test.over else NONE,
                    figures.ratio(test.expected, 2) if test.over else NONE,
                    NONE if test.chance is None else figures.chance(test.chance),
                    _("too few to judge")
                    if test.chance is None
                    else _("stands out")
                    if test.stands_out
                    else _("passed"),
                ]
                for test in self.audit.chances
            ],
            note=_(
                "Splits over turns: the chance is exact, from the cards left before each turn. The others over whole "
                "deals, as in the shuffle lab. Of all that stand out one in a hundred is luck on average (Benjamini "
                "and Hochberg)."
            ),
        )

    def _method(self) -> None:
        self.sheet.heading(_("4  Method"))
        self.sheet.paragraph(
            _(
                "Recorded by engine %(first)s, turn by turn, at the table. Recomputed by engine %(second)s, which "
                "shares no code with it, from the recorded bets and cards of each deal, under the rules version that "
                "the deal names; and settled again by engine %(first)s from the events in the journal. The three are "
                "compared settlement by settlement: outcome, turn, position and five amounts. A difference is an "
                "exception, whichever side is right; where the two engines disagree, that is a finding of its own. "
                "The cards of each deal are counted against its shoe, and each entry of the journal is checked "
                "against the one before."
            )
            % {"first": self.audit.first_engine, "second": self.audit.second_engine}
        )
        self.sheet.table(
            [
                Column(_("Rules version"), "left", width=44 * MM),
                Column(_("Digest of the built game, SHA-256"), "left", 1, name=MONO),
            ],
            [list(pair) for pair in self.audit.rules],
            size=7.4,
            row=4 * MM,
            empty=_("none"),
        )

    def _roundings(self) -> None:
        """Say what fractions of a chip came to, clause by clause and exactly, and in whose favour."""
        figures = self.figures
        self.sheet.heading(_("5  Rounding account"))
        found = self.audit.roundings
        if not found:
            self.sheet.paragraph(_("None: no rule of this scope takes or pays a share of a stake."))
            return
        net = sum((item.to_players_minor for item in found), Fraction())
        self.sheet.table(
            [
                Column(_("Clause: what"), "left", stretch=1),
                Column(_("Shares")),
                Column(_("of them rounded")),
                Column(_("Exact")),
                Column(_("In whole chips")),
                Column(_("Rounded off")),
                Column(_("In favour of"), "left"),
            ],
            [
                *(
                    [
                        f"{item.clause}: {words.game(item.game)}, {words.outcome(item.outcome)}, "
                        f"{words.amount_name(f'{item.moved}_minor')}",
                        figures.count(item.shares),
                        figures.count(item.rounded),
                        figures.exact(item.exact_minor),
                        figures.exact(Fraction(item.minor)),
                        figures.exact(abs(item.to_players_minor)),
                        words.favour(_favour(item.to_players_minor)),
                    ]
                    for item in found
                ),
                Row(
                    [
                        _("Net"),
                        figures.count(sum(item.shares for item in found)),
                        figures.count(sum(item.rounded for item in found)),
                        "",
                        "",
                        figures.exact(abs(net)),
                        words.favour(_favour(net)),
                    ],
                    "total",
                ),
            ],
            note=_(
                "Where a rule takes or pays a share of a stake, it is rounded to whole chips once, as the house rule "
                "“fractions” says (C-7). Exact: the shares before that, added up without rounding. From the amounts "
                "that were due; what was recorded otherwise is in section 2."
            ),
        )

    def _kinds(self) -> None:
        figures = self.figures
        self.sheet.heading(_("6  Results by kind of bet"))
        total = self.audit.total
        self.sheet.table(
            [
                Column(_("Bet"), "left"),
                Column(_("Settlements")),
                Column(_("Handle")),
                Column(_("Game win")),
                Column(_("Differences")),
            ],
            [
                *(
                    [
                        f"{words.game(item.game)}, {words.bet_kind(item.kind)}",
                        figures.count(item.settlements),
                        figures.amount(item.handle_minor),
                        figures.amount(item.game_win_minor),
                        figures.count(item.differences),
                    ]
                    for item in self.audit.kinds
                ),
                Row(
                    [
                        _("All"),
                        figures.count(total.settlements),
                        figures.amount(total.handle_minor),
                        figures.amount(total.game_win_minor),
                        figures.count(len(self.audit.differences)),
                    ],
                    "total",
                ),
            ],
        )

    def _groups(self) -> None:
        figures, audit = self.figures, self.audit
        self.sheet.heading(_("7  Results by table, hour of the day and rules version"))

        def cells(group: Group) -> list[str]:
            counts = [figures.count(group.settlements)]
            amounts = map(figures.amount, (group.taken_minor, group.paid_minor, group.game_win_minor))
            return [group.name, *counts, *amounts]

        heads = [_("Settlements"), _("Taken"), _("Paid"), _("Game win")]
        rows = []
        for item in audit.tables:
            theory = NONE if item.theoretical_minor is None else figures.rounded(item.theoretical_minor)
            spread = NONE if item.variance is None else figures.rounded(sqrt(item.variance))
            z = NONE if item.z is None else figures.ratio(item.z, 2, sign=True)
            rows.append([*cells(item.group), theory, spread, z, figures.count(item.group.differences)])
        expected = [_("Expected"), _("Standard deviation"), "z", _("Differences")]
        names = [Column(_("Table"), "left", stretch=1), *(Column(head, stretch=1) for head in [*heads, *expected])]
        self.sheet.table(
            names,
            rows,
            empty=_("none"),
            note=_(
                "Expected: the exact expectation of every turn dealt, given the bets that stood and the cards left."
            ),
        )
        for title, groups in ((_("Hour of the day"), audit.hours), (_("Table and rules version"), audit.versions)):
            if groups:
                self.sheet.space(2)
                columns = [Column(title, "left", stretch=2)]
                columns += [Column(head, stretch=1) for head in [*heads, _("Differences")]]
                self.sheet.table(columns, [[*cells(group), figures.count(group.differences)] for group in groups])

    def _dealers(self) -> None:
        figures = self.figures
        self.sheet.heading(_("8  Dealers’ errors, per 1 000 settlements"))
        rows = []
        for item in self.audit.dealers:
            low, high = item.interval
            interval = f"{figures.ratio(low, 2)}{NONE}{figures.ratio(high, 2)}"
            counts = map(figures.count, (item.settlements, item.over, item.under))
            rows.append([item.dealer or NONE, *counts, figures.ratio(float(item.per_thousand), 2), interval])
        heads = (_("Settlements"), pgettext("settlements", "Over"), _("Under"), _("Rate"), _("95 % interval"))
        self.sheet.table(
            [Column(_("Dealer"), "left", stretch=1), *(Column(head, stretch=1) for head in heads)],
            rows,
            empty=_("none"),
            note=_(
                "Over: the players were given too much; under: too little. Found by this audit, or put right before by "
                "a correction that moved money; counted under whoever recorded the card or the bet. Exact interval "
                "(Clopper and Pearson)."
            ),
        )

    def _rulings(self) -> None:
        figures = self.figures
        self.sheet.heading(_("9  Disputes, rulings and mispays"))
        if not self.audit.rulings and not self.audit.mispays:
            self.sheet.paragraph(_("None."))
        if self.audit.rulings:
            self.sheet.table(
                dispute_columns(), [dispute_cells(item, item.table, figures) for item in self.audit.rulings]
            )
        if self.audit.mispays:
            self.sheet.space(2)
            self.sheet.table(
                mispay_columns(),
                [mispay_cells(item, figures) for item in self.audit.mispays],
                note=_(
                    "Mispays: a bet was collected or paid otherwise than the console showed, as the dealer's table "
                    "recorded it. They change no settlement; below zero the players lost."
                ),
            )

    def _casekeep(self) -> None:
        figures = self.figures
        self.sheet.heading(_("10  Cards against the shoe"))
        self.sheet.table(
            [
                Column(_("Table, deal"), "left", stretch=1),
                Column(_("Shoe"), width=16 * MM),
                Column(_("Recorded"), width=19 * MM),
                Column(_("Undealt"), width=19 * MM),
                Column(_("Turns"), width=16 * MM),
                Column(_("Beyond the shoe"), "left", width=34 * MM),
                Column(_("Positions without a card"), "left", width=36 * MM),
            ],
            [
                [
                    f"{item.table}, {item.deal}",
                    figures.count(item.shoe),
                    figures.count(item.recorded),
                    figures.count(item.undealt),
                    figures.count(item.turns),
                    words.cards(item.beyond) or _("none"),
                    item.missing or _("none"),
                ]
                for item in self.audit.casekeeps
            ],
            size=7.9,
            row=4.2 * MM,
            empty=_("none"),
            note=_("Each card came out at most as often as the shoe holds it where “none” stands."),
        )

    def _corrections(self) -> None:
        figures = self.figures
        self.sheet.heading(_("11  Corrections trail"))
        if not self.audit.corrections:
            self.sheet.paragraph(_("None."))
            return
        self.sheet.table(
            [
                Column(_("Entry")),
                Column(_("At"), "left"),
                Column(_("Table, deal"), "left", stretch=1),
                Column(_("What"), "left", stretch=2),
                Column(_("Reason"), "left", stretch=3),
                Column(_("Asked, approved"), "left", stretch=1),
                Column(_("Adjustment")),
            ],
            [
                [
                    figures.count(item.entry),
                    figures.moment(item.at),
                    f"{item.table}, {item.deal}",
                    words.corrected(item.kind, item.what, figures.point),
                    item.reason,
                    f"{item.asked_by or NONE}, {self._approved(item)}",
                    figures.signed(item.adjustment_minor),
                ]
                for item in self.audit.corrections
            ],
            size=7.9,
            row=4.2 * MM,
            note=_("Adjustment: change of the bank’s result by the correction. The first record stays on record."),
        )

    def _approved(self, item: Correction) -> str:
        if item.alone:
            return _("alone (open turn)")
        return _("given by the file") if item.given else item.approved_by or NONE

    def _follow_ups(self) -> None:
        """Say how far the exceptions are that earlier papers named."""
        figures, audit = self.figures, self.audit
        self.sheet.heading(_("12  Follow-up"))
        if not audit.follow_ups:
            self.sheet.paragraph(_("No earlier paper named an exception of these deals."))
        else:
            self.sheet.table(
                [
                    Column(_("No.")),
                    Column(_("What"), "left", stretch=1),
                    Column(_("Table, deal, bet"), "left", stretch=1),
                    Column(_("Named by, on"), "left", stretch=1),
                    Column(_("Owner, until"), "left", stretch=1),
                    Column(_("Outcome"), "left", stretch=2),
                ],
                [
                    [
                        figures.count(item.number) if item.number else NONE,
                        words.exception(item.code),
                        ", ".join(filter(None, (item.table, item.deal, item.bet))),
                        f"{item.serial}, {figures.moment(item.found_at)[:10]}",
                        f"{item.owner}, {item.due_on:%d.%m.%Y}" if item.due_on else NONE,
                        self._outcome(item),
                    ]
                    for item in audit.follow_ups
                ],
                size=7.9,
                row=4.2 * MM,
                note=_("No.: of the exception in section 2, where this audit found it again."),
            )
        if (audit.differences or audit.findings) and audit.imprint.status == "final":
            self.sheet.paragraph(_("What this paper names is on the list of exceptions from its issue on."))

    def _outcome(self, item: FollowedUp) -> str:
        if item.settled_at is None:
            return _("open")
        outcome, day = words.OUTCOMES_OF_EXCEPTIONS[item.outcome], self.figures.moment(item.settled_at)[:10]
        said = f"{outcome}, {day} {item.settled_by}"
        return f"{said}: {item.note}" if item.note else said

    def _signatures(self) -> None:
        self.sheet.heading(_("14  Signatures"), keep=26 * MM)
        self.sheet.signatures([_("Auditor: name, date, signature"), _("Shift manager: name, date, signature")])

    def _seal(self) -> None:
        annexed, seal, figures, sheet = self.audit.annexed, self.audit.imprint.seal, self.figures, self.sheet
        sheet.heading(_("Annex A  Seal and bundle"))
        if annexed is None or seal is None:
            sheet.paragraph(
                _(
                    "No seal covered these journals when this report was made. "
                    "Once one does, a bundle of it proves them."
                )
            )
            return
        sheet.paragraph(
            _(
                "Seal %(number)d of %(day)s signs how far all journals had come: a tree of %(size)s leaves. Each "
                "journal of this audit leads to its root by the hashes beside it, from the leaf up; entries after "
                "the sealed ones lie under the next seal."
            )
            % {"number": seal.number, "day": figures.day(seal.day), "size": figures.count(annexed.size)}
        )
        rows = []
        for item in annexed.journals:
            hashes = "\n".join([item.root, *item.path])
            rows.append([item.name, figures.count(item.sequence), figures.count(item.index), hashes])
        sheet.table(
            [
                Column(_("Journal"), "left", stretch=1),
                Column(_("Entries sealed"), width=20 * MM),
                Column(_("Leaf"), width=12 * MM),
                Column(_("Root of its tree, then its path to the root of the seal"), "left", width=91 * MM, name=MONO),
            ],
            rows,
            size=6.4,
            row=3.9 * MM,
        )
        scope = annexed.bundle_table or _("the whole house")
        sheet.table(
            [Column(_("Seal and bundle"), "left"), Column(_("Hexadecimal"), "left", stretch=1, name=MONO)],
            [
                [_("Root of the seal"), seal.root],
                [_("SHA-256 of the text of the seal"), annexed.seal_sha256],
                [_("Public key, Ed25519"), annexed.key],
                [_("Signature"), annexed.signature],
                [
                    _("Bundle of %(scope)s, %(size)s bytes, SHA-256")
                    % {"scope": scope, "size": figures.count(annexed.bundle_size)},
                    annexed.bundle_sha256,
                ],
            ],
            size=6.4,
            row=3.9 * MM,
            note=_(
                "Whoever asks for this bundle gets these bytes; verify_journal.py in it checks it off line. One "
                "settlement is proven by manage.py prove."
            ),
        )

    def _annex(self) -> None:
        sheet = self.sheet
        sheet.heading(_("Annex B  Every settlement"))
        names = [
            (_("Turn"), "right"),
            (_("Pos."), "right"),
            (_("Bet"), "left"),
            (_("Seat"), "right"),
            (pgettext("head", "On"), "left"),
            (_("Outcome"), "left"),
            (_("Stake"), "right"),
            (_("Paid"), "right"),
            (_("Taken"), "right"),
            (_("Returned"), "right"),
            (_("Standing"), "right"),
            ("", "left"),
        ]
        columns = [
            Column(head, "left" if align == "left" else "right", width=width * MM)
            for (head, align), width in zip(names, _ANNEX, strict=True)
        ]
        sheet.table(
            columns,
            self._settlements(),
            size=7.4,
            row=3.75 * MM,
            note=_(
                "✓ recomputed and equal; №: number of the exception in section 2; c: entered or changed by a "
                "correction. Turn and position are those of the card that settled the bet."
            ),
        )

    def _settlements(self) -> Iterator[Row | list[str]]:
        amount = lru_cache(maxsize=5_000)(self.figures.amount)
        outcome = lru_cache(words.outcome)
        on = lru_cache(words.cards)
        number = lru_cache(str)
        tick, corrected = "✓", "✓ c"
        for deal in self.audit.deals:
            yield Row(
                [
                    _("%(table)s, deal %(deal)s: %(rules)s")
                    % {"table": deal.table, "deal": deal.deal, "rules": deal.rules}
                ],
                "group",
            )
            if deal.cards:
                yield Row([words.cards(deal.cards)], "aside")
            for line in deal.lines:
                cells = [
                    number(line.turn),
                    number(line.position),
                    line.bet,
                    number(line.seat),
                    on(line.on),
                    outcome(line.outcome),
                    amount(line.stake_minor),
                    amount(line.paid_minor),
                    amount(line.taken_minor),
                    amount(line.returned_minor),
                    amount(line.standing_minor),
                    f"№{line.difference}" if line.difference else corrected if line.corrected else tick,
                ]
                yield Row(cells, "marked") if line.difference else cells


def _favour(to_players: Fraction) -> str:
    return "player" if to_players > 0 else "house" if to_players < 0 else "none"
