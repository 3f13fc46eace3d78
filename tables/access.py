"""The one table of who may do what: deed x role x pit, asked by every action and every address.

Plain Python: it knows neither rows nor requests. Who somebody is comes in as a value (`Author`);
`tables.queries.people` makes it from a sign-on or a log-in.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tables.refusals import DoorCode
from tables.rules.refusals import Refusal

DEALER = "dealer"
BET_CONTROLLER = "bet_controller"
INSPECTOR = "inspector"
PIT_BOSS = "pit_boss"
SHIFT_MANAGER = "shift_manager"
CAGE = "cage"
COUNT_ROOM = "count_room"
AUDITOR = "auditor"
SURVEILLANCE = "surveillance"
ADMIN = "admin"

ROLES = (DEALER, BET_CONTROLLER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER, CAGE, COUNT_ROOM, AUDITOR, SURVEILLANCE, ADMIN)

# Who may stand at a table under his own name, in the order in which a sign-on without a role picks one.
TABLE_ROLES = (DEALER, BET_CONTROLLER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER)

# A table has one person of these at a time, and such a person one table. An inspector watches several.
ONE_PLACE_ROLES = (DEALER, BET_CONTROLLER)


class Scope(StrEnum):
    """Where a role must hold for its deed."""

    PIT = "pit"  # in the pit of the table, or in the whole house
    HOUSE = "house"  # in the whole house
    OWN = "own"  # whoever is logged in, on himself
    PUBLIC = "public"  # anybody
    SHELL = "shell"  # nobody from outside: the operator's shell, a worker, or another action


@dataclass(frozen=True, slots=True)
class Post:
    """A role held by a person, in one pit or (`pit_id` None) in the whole house."""

    role: str
    pit_id: int | None


@dataclass(frozen=True, slots=True)
class Author:
    """Who does something, as a value: by staff number and the posts that count for this deed."""

    staff_id: int
    number: str
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: the roles that may, where they must hold, whether the caller's device may too."""

    roles: frozenset[str] = frozenset()
    scope: Scope = Scope.PIT
    device: bool = False


def _pit(*roles: str, device: bool = False) -> Row:
    return Row(frozenset(roles), Scope.PIT, device)


def _house(*roles: str) -> Row:
    return Row(frozenset(roles), Scope.HOUSE)


_AT_THE_TABLE = TABLE_ROLES
_OVER_THE_TABLE = (INSPECTOR, PIT_BOSS, SHIFT_MANAGER)
_WATCHING = (PIT_BOSS, SHIFT_MANAGER, AUDITOR, SURVEILLANCE, ADMIN)
_READING = (*TABLE_ROLES, CAGE, AUDITOR, SURVEILLANCE, ADMIN)

ACCESS: dict[str, Row] = {
    # What happens at a table: one deed for each type of the table log.
    "event.table": Row(scope=Scope.SHELL),
    "event.rules": Row(scope=Scope.SHELL),  # by two, at its own address
    "event.open": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "event.close": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "event.pause": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "event.resume": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "event.deal": _pit(DEALER),
    "event.bet": _pit(DEALER, BET_CONTROLLER),
    "event.withdraw": _pit(DEALER, BET_CONTROLLER),
    "event.refuse": _pit(DEALER, BET_CONTROLLER),
    "event.cut": _pit(DEALER, BET_CONTROLLER),
    "event.card": _pit(DEALER),
    "event.reveal": _pit(DEALER, BET_CONTROLLER),
    "event.paroli": _pit(DEALER, BET_CONTROLLER),
    "event.pocket": _pit(DEALER),
    "event.end": _pit(DEALER),
    "event.misdeal": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "event.correct": _pit(*_AT_THE_TABLE),
    # The desk's word about play, and what a house asks for there.
    "event.bets_down": _pit(DEALER, BET_CONTROLLER),
    "event.confirm": _pit(DEALER),
    "event.mispay": _pit(DEALER, INSPECTOR, PIT_BOSS, SHIFT_MANAGER),
    "turn.check": _pit(DEALER, device=True),
    "proposal.decline": _pit(DEALER, device=True),
    "approve.check": _pit(*_OVER_THE_TABLE),
    "console.options": _pit(PIT_BOSS, SHIFT_MANAGER),
    "approve.options": _pit(PIT_BOSS, SHIFT_MANAGER),
    # Chips at a table. What two sign by PIN comes in by its own address, never in a console's envelope.
    "event.buy_in": _pit(DEALER, INSPECTOR, PIT_BOSS),
    "event.exchange": _pit(DEALER, INSPECTOR, PIT_BOSS),
    "event.tip_exchange": _pit(DEALER, INSPECTOR, PIT_BOSS),
    "event.fee": _pit(DEALER, INSPECTOR, PIT_BOSS),
    "event.colour": _pit(DEALER, INSPECTOR, PIT_BOSS),
    "event.ruling": Row(scope=Scope.SHELL),
    "event.opener": Row(scope=Scope.SHELL),
    "event.closer": Row(scope=Scope.SHELL),
    "event.count": Row(scope=Scope.SHELL),
    "event.fill": Row(scope=Scope.SHELL),
    "event.credit": Row(scope=Scope.SHELL),
    "event.fill_correction": Row(scope=Scope.SHELL),
    "event.credit_correction": Row(scope=Scope.SHELL),
    "event.opener_correction": Row(scope=Scope.SHELL),
    "event.closer_correction": Row(scope=Scope.SHELL),
    "event.buy_in_correction": Row(scope=Scope.SHELL),
    "event.exchange_correction": Row(scope=Scope.SHELL),
    "event.tip_exchange_correction": Row(scope=Scope.SHELL),
    "event.fee_correction": Row(scope=Scope.SHELL),
    # The books: counts at the table, slips, the chip bank, boxes, and what they add up to.
    "count.float": _pit(DEALER, *_OVER_THE_TABLE, device=True),
    "chips.move": _pit(DEALER, *_OVER_THE_TABLE, device=True),
    "approve.count": _pit(*_OVER_THE_TABLE),
    "read.chips": _pit(DEALER, *_OVER_THE_TABLE, CAGE, AUDITOR, SURVEILLANCE, device=True),
    "chips.declare": _house(SHIFT_MANAGER, ADMIN),
    "approve.policy": _house(SHIFT_MANAGER, AUDITOR),
    "movement.correct": _pit(*_OVER_THE_TABLE),
    "approve.movement": _pit(PIT_BOSS, SHIFT_MANAGER),
    "read.slips": _pit(*_OVER_THE_TABLE, CAGE, AUDITOR, SURVEILLANCE),
    "slip.request": _pit(*_OVER_THE_TABLE),
    "slip.ask": _pit(DEALER, *_OVER_THE_TABLE, device=True),  # for a request, which is somebody's over the table
    "approve.slip": _pit(*_OVER_THE_TABLE),
    "slip.issue": _house(CAGE),
    "slip.carry": _pit(CAGE, *_OVER_THE_TABLE),
    "slip.step": _pit(CAGE, *_OVER_THE_TABLE, device=True),
    "slip.void": _pit(CAGE, PIT_BOSS, SHIFT_MANAGER),
    "approve.void": _pit(PIT_BOSS, SHIFT_MANAGER),
    "slip.correct": _pit(CAGE, PIT_BOSS, SHIFT_MANAGER),
    "approve.slip_correction": _pit(PIT_BOSS, SHIFT_MANAGER),
    "read.bank": _house(CAGE, SHIFT_MANAGER, AUDITOR, SURVEILLANCE),
    "bank.deliver": _house(CAGE),
    "approve.deliver": _house(CAGE, SHIFT_MANAGER),
    "read.drops": _pit(*_OVER_THE_TABLE, COUNT_ROOM, AUDITOR, SURVEILLANCE),
    "box.move": _pit(*_OVER_THE_TABLE),
    "box.receive": _house(COUNT_ROOM),
    "box.step": _pit(*_OVER_THE_TABLE, COUNT_ROOM, AUDITOR),
    "box.count": _house(COUNT_ROOM),
    "approve.drop": _pit(SHIFT_MANAGER, AUDITOR),
    "read.books": _pit(PIT_BOSS, SHIFT_MANAGER, AUDITOR, SURVEILLANCE),
    # Players, by alias at most.
    "read.players": _pit(*_OVER_THE_TABLE, AUDITOR, SURVEILLANCE),
    "player.sit": _pit(*_AT_THE_TABLE, device=True),
    "player.erase": _house(SHIFT_MANAGER, ADMIN),
    # Duty, incidents, and the surveillance log, which nobody on the floor reads.
    "read.duty": _pit(*_OVER_THE_TABLE, AUDITOR, SURVEILLANCE),
    "incident.read": _pit(*_OVER_THE_TABLE, AUDITOR, SURVEILLANCE),
    "incident.write": _pit(*_OVER_THE_TABLE, SURVEILLANCE),
    "surveillance.read": _house(SURVEILLANCE, AUDITOR),
    "surveillance.write": _house(SURVEILLANCE),
    # Card control.
    "read.cards": _pit(*_OVER_THE_TABLE, CAGE, AUDITOR, SURVEILLANCE),
    "cards.step": _pit(CAGE, *_OVER_THE_TABLE),
    "approve.cards": _pit(CAGE, *_OVER_THE_TABLE, AUDITOR, SURVEILLANCE),
    # Disputes, rulings, and what they and corrections leave owing.
    "read.disputes": _pit(*_OVER_THE_TABLE, AUDITOR, SURVEILLANCE),
    "dispute.open": _pit(*_AT_THE_TABLE, SURVEILLANCE, device=True),
    "dispute.rule": _pit(PIT_BOSS, SHIFT_MANAGER),
    "approve.ruling": _pit(PIT_BOSS, SHIFT_MANAGER),
    "debt.clear": _pit(*_OVER_THE_TABLE),
    "approve.debt": _pit(PIT_BOSS, SHIFT_MANAGER),
    # Shifts of the house.
    "shift.plan": _house(SHIFT_MANAGER, ADMIN),
    "approve.shift_plan": _house(SHIFT_MANAGER, AUDITOR),
    "shift.close": _house(SHIFT_MANAGER),
    # The second pair of eyes. That author and approver differ is asked apart from this table.
    "approve.correct": _pit(*_OVER_THE_TABLE),
    "rules.change": _pit(PIT_BOSS, SHIFT_MANAGER),
    "approve.rules": _house(SHIFT_MANAGER),
    "approve": _pit(*_OVER_THE_TABLE, device=True),
    "approval.ask": _pit(DEALER, *_OVER_THE_TABLE, CAGE, device=True),  # and what each deed itself asks for
    # People and devices.
    "signon": _pit(*_AT_THE_TABLE, device=True),
    "device.issue": _pit(PIT_BOSS, SHIFT_MANAGER, ADMIN),
    "device.revoke": _pit(PIT_BOSS, SHIFT_MANAGER, SURVEILLANCE, ADMIN),
    "pin.set": _house(ADMIN),
    "pin.own": Row(scope=Scope.OWN),
    "staff.write": _house(ADMIN),
    "own": Row(scope=Scope.OWN),
    # Reading.
    "write.table": Row(frozenset(_AT_THE_TABLE), Scope.PIT, device=True),
    "read.table": Row(frozenset(_READING), Scope.PIT, device=True),
    "read.floor": _pit(INSPECTOR, *_WATCHING),
    "table.state": _pit(*_OVER_THE_TABLE),
    "table.move": _house(PIT_BOSS, SHIFT_MANAGER),
    "alert.see": _pit(*_OVER_THE_TABLE),
    "marks.set": _house(SHIFT_MANAGER, ADMIN),
    "read.rules": _pit(INSPECTOR, *_WATCHING),
    "read.journal": _house(SHIFT_MANAGER, AUDITOR, SURVEILLANCE, ADMIN),
    "report.request": _pit(PIT_BOSS, SHIFT_MANAGER, AUDITOR, SURVEILLANCE),
    "report.read": _pit(PIT_BOSS, SHIFT_MANAGER, AUDITOR, SURVEILLANCE),
    "exception.settle": _house(SHIFT_MANAGER, AUDITOR),
    "shuffle.lab": _house(SHIFT_MANAGER, AUDITOR, SURVEILLANCE),
    "seal.make": _house(SHIFT_MANAGER, AUDITOR),
    # Nobody and anybody.
    "public": Row(scope=Scope.PUBLIC),
    "shell": Row(scope=Scope.SHELL),
}

# Every address of the project, as the resolver writes it, and its deed: a test walks them.
URLS: dict[str, str] = {
    "": "own",
    "i18n/setlang/": "public",
    "words.json": "public",
    "console/worker.js": "public",
    "console/<str:code>/": "public",  # an empty cloth: what fills it, the API asks for
    "casekeep/<str:code>/": "public",  # the players' side
    "trust/": "public",
    "trust/casino-floor.crt": "public",
    "pit/": "read.floor",
    "pit/<str:code>/": "read.floor",
    "pit/floor.csv": "read.floor",
    "pit/<str:code>/<str:name>.csv": "read.floor",
    "alerts/day.csv": "read.floor",
    "luck/luck.csv": "read.floor",
    "hours/": "read.floor",
    "hours/day.csv": "read.floor",
    "metrics": "public",  # asks for a token of its own
    "health/alive": "public",
    "health/ready": "public",
    "api/hours": "read.floor",
    "luck/": "read.floor",
    "alerts/": "read.floor",
    "books/": "read.books",
    "books/day.csv": "read.books",
    "books/<str:code>/<int:number>/": "read.books",
    "books/<str:code>/<int:number>/deals/<path:name>/": "read.books",
    "chips/": "read.chips",
    "cage/": "read.slips",
    "cage/numbers/": "read.slips",
    "cage/slips/<uuid:slip_id>/": "read.slips",
    "count-room/": "read.drops",
    "cards/": "read.cards",
    "duty/": "read.duty",
    "incidents/": "incident.read",
    "surveillance/": "surveillance.read",
    "players/": "read.players",
    "disputes/": "read.disputes",
    "disputes/<uuid:dispute_id>/": "read.disputes",
    "shifts/": "read.books",
    "limits/<str:code>/": "read.rules",
    "float/": "read.chips",
    "float/<str:code>/": "read.chips",
    "float/<str:code>/<int:number>/movements/<int:place>/": "read.chips",
    "login/": "public",
    "logout/": "public",
    "language/": "public",
    "me/": "own",
    "api/tables": "read.floor",
    "api/tables/<str:code>": "read.table",
    "api/tables/<str:code>/events": "write.table",
    "api/tables/<str:code>/state": "read.table",
    "api/tables/<str:code>/casekeep": "public",  # counts of undealt cards: no bet, no seat, no sum
    "api/tables/<str:code>/rules": "read.table",
    "api/tables/<str:code>/rules/versions": "read.rules",
    "api/tables/<str:code>/check": "turn.check",
    "api/tables/<str:code>/proposals/<uuid:proposal_id>/decline": "proposal.decline",
    "api/tables/<str:code>/options": "read.rules",
    "api/tables/<str:code>/mispays": "read.books",
    "api/tables/<str:code>/entries": "read.journal",
    "api/tables/<str:code>/shift": "read.floor",
    "api/tables/<str:code>/floor/<str:deed>": "table.state",
    "api/tables/<str:code>/deals": "read.table",
    "api/tables/<str:code>/deals/<path:deal>": "read.table",
    "api/tables/<str:code>/cards": "read.table",
    "api/tables/<str:code>/bets": "read.table",
    "api/tables/<str:code>/settlements": "read.table",
    "api/tables/<str:code>/deeds": "read.table",
    "api/tables/<str:code>/corrections": "read.table",
    "api/tables/<str:code>/adjustments": "read.table",
    "api/floor": "read.floor",
    "api/luck": "read.floor",
    "api/alerts": "read.floor",
    "api/alerts/<int:alert_id>/seen": "alert.see",
    "api/marks": "read.floor",
    "api/schema": "public",
    "api/docs": "public",
    "api/tables/<str:code>/signons": "signon",
    "api/tables/<str:code>/staff": "signon",
    "audit/": "report.read",
    "audit/<str:serial>.pdf": "report.read",
    "audit/<str:serial>.zip": "report.read",
    "audit/<str:serial>.jsonl.gz": "report.read",
    "audit/<str:serial>/": "report.read",
    "audit/<str:serial>/cancel/": "report.request",
    "exceptions/": "exception.settle",
    "exceptions/<int:pk>/owner": "exception.settle",
    "exceptions/<int:pk>/outcome": "exception.settle",
    "shuffles/": "shuffle.lab",
    "seals/": "read.journal",
    "seals/<int:number>.jsonl": "read.journal",
    "seals/proof": "read.journal",
    "verify/certificate.pem": "public",
    "verify/<str:serial>": "public",
    "api/reports": "report.read",
    "api/reports/<str:serial>": "report.read",
    "api/reports/<str:serial>/data": "report.read",
    "api/reports/<str:serial>/file": "report.read",
    "api/seals": "read.journal",
    "api/seals/<int:number>": "read.journal",
    "api/proofs/entries": "read.journal",
    "api/proofs/bets": "read.journal",
    "api/proofs/days": "read.journal",
    "api/chips": "read.chips",
    "api/chips/policy": "chips.declare",
    "api/chips/bank": "read.bank",
    "api/tables/<str:code>/float": "read.chips",
    "api/tables/<str:code>/float/movements": "chips.move",
    "api/tables/<str:code>/float/<str:kind>": "count.float",
    "api/books/<str:code>/<int:number>/movements/<int:place>/corrections": "movement.correct",
    "api/slips": "read.slips",
    "api/slips/late": "slip.issue",
    "api/slips/due": "read.slips",
    "api/slips/numbers": "read.slips",
    "api/slips/<uuid:slip_id>": "read.slips",
    "api/slips/<uuid:slip_id>/corrections": "slip.correct",
    "api/slips/<uuid:slip_id>/<str:step>": "slip.step",
    "api/drops": "read.drops",
    "api/drops/<int:drop_id>": "read.drops",
    "api/drops/<int:drop_id>/<str:step>": "box.step",
    "api/books": "read.books",
    "api/books/<str:code>/<int:number>": "read.books",
    "api/players": "read.players",
    "api/players/<int:player>/erased": "player.erase",
    "api/tables/<str:code>/seats/<int:seat>": "player.sit",
    "api/duty": "read.duty",
    "api/incidents": "incident.read",
    "api/surveillance": "surveillance.read",
    "api/decks": "read.cards",
    "api/decks/counts": "cards.step",
    "api/decks/steps/<str:step>": "cards.step",
    "api/decks/<str:serial>": "read.cards",
    "api/disputes": "read.disputes",
    "api/disputes/<uuid:dispute_id>": "read.disputes",
    "api/disputes/<uuid:dispute_id>/ruling": "dispute.rule",
    "api/tables/<str:code>/disputes": "dispute.open",
    "api/debts": "read.disputes",
    "api/debts/<str:kind>/<int:debt_id>/<str:how>": "debt.clear",
    "api/shifts": "read.books",
    "api/shifts/plan": "shift.plan",
    "api/shifts/<str:gaming_date>/<int:number>": "shift.close",
    "api/approvals": "approve",
    "api/approvals/<uuid:approval_id>": "approve",
}

# Every public function of tables/actions and audit/actions, and its deed.
FUNCTIONS: dict[str, str] = {
    "tables.actions.people.hire": "staff.write",
    "tables.actions.people.leave": "staff.write",
    "tables.actions.people.appoint": "staff.write",
    "tables.actions.people.relieve_of_post": "staff.write",
    "tables.actions.people.set_pin": "pin.set",
    "tables.actions.people.change_own_pin": "pin.own",
    "tables.actions.people.verify_pin": "public",
    "tables.actions.people.verify_password": "public",
    "tables.actions.people.issue_device_token": "device.issue",
    "tables.actions.people.revoke_device": "device.revoke",
    "tables.actions.people.see_device": "shell",
    "tables.actions.people.sign_on": "signon",
    "tables.actions.people.sign_off": "signon",
    "tables.actions.people.ask_approval": "shell",
    "tables.actions.people.decide": "approve",
    "tables.actions.people.choose_language": "own",
    "tables.actions.once.once": "shell",
    "tables.actions.chips.judge": "shell",
    "tables.actions.chips.level_of": "shell",
    "tables.actions.chips.insert": "shell",
    "tables.actions.cage.sign": "public",
    "tables.actions.cage.open_counted": "count.float",
    "tables.actions.cage.close_counted": "count.float",
    "tables.actions.cage.count_float": "count.float",
    "tables.actions.cage.roll_over": "count.float",
    "tables.actions.cage.move_chips": "chips.move",
    "tables.actions.movements.correct_movement": "movement.correct",
    "tables.actions.cage.declare_chips": "chips.declare",
    "tables.actions.cage.set_policy": "chips.declare",
    "tables.actions.cage.deliver": "bank.deliver",
    "tables.actions.cage.request_slip": "slip.request",
    "tables.actions.cage.issue_slip": "slip.issue",
    "tables.actions.cage.decline_slip": "slip.issue",
    "tables.actions.cage.carry_slip": "slip.carry",
    "tables.actions.cage.receive_slip": "slip.step",
    "tables.actions.cage.void_slip": "slip.void",
    "tables.actions.cage.enter_late_slip": "slip.issue",
    "tables.actions.cage.correct_slip": "slip.correct",
    "tables.actions.cage.take_step": "slip.step",
    "tables.actions.cage.take_box_step": "box.step",
    "tables.actions.cage.attach_box": "box.move",
    "tables.actions.cage.remove_box": "box.move",
    "tables.actions.cage.receive_box": "box.receive",
    "tables.actions.cage.count_box": "box.count",
    "tables.actions.cage.approve_count": "approve.drop",
    "tables.actions.floor.set_state": "table.state",
    "tables.actions.floor.move": "table.move",
    "tables.actions.alerts.watch": "shell",
    "tables.actions.alerts.judge": "shell",
    "tables.actions.alerts.see": "alert.see",
    "tables.actions.alerts.set_marks": "marks.set",
    "tables.actions.odds.keep_odds": "shell",
    "tables.actions.players.sit": "player.sit",
    "tables.actions.players.stand_up": "player.sit",
    "tables.actions.players.erase_alias": "player.erase",
    "tables.actions.notes.write_note": "incident.write",
    "tables.actions.cards.receive_decks": "cards.step",
    "tables.actions.cards.move_decks": "cards.step",
    "tables.actions.cards.count_decks": "cards.step",
    "tables.actions.disputes.open_dispute": "dispute.open",
    "tables.actions.disputes.rule": "dispute.rule",
    "tables.actions.disputes.clear_debt": "debt.clear",
    "tables.actions.terms.change_rules": "rules.change",
    "tables.actions.asking.ask": "approval.ask",
    "tables.actions.asking.decide": "approve",
    "tables.actions.console.hear": "read.table",
    "tables.actions.console.set_options": "console.options",
    "tables.actions.console.check_turn": "turn.check",
    "tables.actions.console.decline": "proposal.decline",
    "tables.actions.desk.check_pen": "shell",
    "tables.actions.desk.propose": "shell",
    "tables.actions.desk.check_seen": "shell",
    "tables.actions.desk.check_turn": "shell",
    "tables.actions.desk.moved": "shell",
    "tables.actions.desk.needs_check": "shell",
    "tables.actions.desk.paid": "shell",
    "tables.actions.desk.difference": "shell",
    "tables.actions.desk.tell_difference": "shell",
    "tables.actions.desk.judge": "shell",
    "tables.actions.desk.insert": "shell",
    "tables.actions.shifts.set_plan": "shift.plan",
    "tables.actions.shifts.close_shift": "shift.close",
    "tables.actions.door.record": "write.table",
    "tables.actions.door.record_for_house": "shell",
    "tables.actions.door.decide": "approve",
    "tables.actions.door.vouch": "shell",
    "tables.actions.house.create_casino": "shell",
    "tables.actions.house.create_table": "shell",
    "tables.actions.house.insert_rules_version": "shell",
    "tables.actions.house.insert_opening": "shell",
    "tables.actions.house.insert_closing": "shell",
    "tables.actions.importing.import_log": "shell",
    "tables.actions.play.array": "shell",
    "tables.actions.play.write": "shell",
    "audit.actions.request_report": "report.request",
    "audit.actions.cancel_report": "report.request",
    "audit.actions.send": "shell",
    "audit.actions.sweep": "shell",
    "audit.actions.take_lease": "shell",
    "audit.actions.make": "shell",
    "audit.actions.print_again": "shell",
}


def may(author: Author, deed: str, pit_id: int | None) -> bool:
    """Say whether a post of the author allows the deed in this pit (None: in the whole house).

    A deed that has no row is nobody's: the KeyError is a bug of ours, not a refusal.
    """
    row = ACCESS[deed]
    if row.scope in (Scope.PUBLIC, Scope.OWN):
        return True
    if row.scope is Scope.SHELL:
        return False
    return any(post.role in row.roles and _covers(post, row, pit_id) for post in author.posts)


def _covers(post: Post, row: Row, pit_id: int | None) -> bool:
    if post.pit_id is None:
        return True
    return row.scope is Scope.PIT and post.pit_id == pit_id


def may_somewhere(author: Author, deed: str) -> bool:
    """Say whether the author may do the deed in any pit at all: enough to see a page that lists by pit."""
    return may(author, deed, None) or any(may(author, deed, post.pit_id) for post in author.posts)


def require(author: Author, deed: str, pit_id: int | None) -> None:
    """Refuse what the author may not do here.

    Raises: not_allowed.
    """
    if not may(author, deed, pit_id):
        raise Refusal(
            DoorCode.NOT_ALLOWED,
            f"Staff {author.number} may not do this here: {deed}.",
            staff=author.number,
            deed=deed,
        )


def may_as(role: str, deed: str) -> bool:
    """Say whether somebody signed on at a table in this role may do the deed there."""
    row = ACCESS[deed]
    return row.scope is Scope.PIT and role in row.roles


def require_as(role: str, number: str, deed: str) -> None:
    """Refuse what the role of a sign-on does not allow at its own table.

    Raises: not_allowed.
    """
    if not may_as(role, deed):
        raise Refusal(
            DoorCode.NOT_ALLOWED,
            f"Staff {number}, signed on as {role}, may not do this: {deed}.",
            staff=number,
            deed=deed,
        )


def pits(author: Author, deed: str) -> frozenset[int] | None:
    """Give the pits in which the author may do the deed; None means all of them."""
    if may(author, deed, None):
        return None
    return frozenset(_allowed_pits(author, deed))


def _allowed_pits(author: Author, deed: str) -> Iterable[int]:
    for post in author.posts:
        if post.pit_id is not None and may(author, deed, post.pit_id):
            yield post.pit_id
