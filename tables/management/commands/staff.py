"""`manage.py staff`: take people on, give them posts and PINs, let them go, from the operator's shell.

Passwords and PINs are asked for or read from standard input, never taken from the command line.
"""

import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.contrib.auth import get_user_model, password_validation
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from tables import access
from tables.actions import people
from tables.models import Casino, Pit, Staff
from tables.rules.refusals import Refusal


class Command(BaseCommand):
    help = "Take people on, give them posts, PINs and passwords, let them go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--casino", help="code of the casino; may be left out where there is one")
        deeds = parser.add_subparsers(dest="deed", required=True)
        hire = deeds.add_parser("hire", help="take somebody on; asks for a password")
        hire.add_argument("number")
        hire.add_argument("--name", required=True)
        hire.add_argument("--language", choices=["en", "ru"], default="ru")
        for deed in ("appoint", "dismiss"):
            post = deeds.add_parser(deed, help=f"{deed} somebody: a role in one pit, or in the whole house")
            post.add_argument("number")
            post.add_argument("--role", choices=access.ROLES, required=True)
            post.add_argument("--pit", help="name of the pit; without it the whole house")
        for deed, told in (("pin", "set a PIN; asks for it"), ("leave", "let somebody go"), ("list", "who is there")):
            deeds.add_parser(deed, help=told).add_argument("number", nargs="?" if deed == "list" else None)

    def handle(self, *args: Any, deed: str, **options: Any) -> None:
        casino = _casino(options["casino"])
        try:
            with transaction.atomic():
                getattr(self, f"_{deed}")(casino, options)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal

    def _hire(self, casino: Casino, options: dict[str, Any]) -> None:
        number = options["number"].upper()
        if get_user_model().objects.filter(username=number).exists():
            raise CommandError(f"Staff number {number} is taken.")
        password = _secret("Password: ")
        try:
            password_validation.validate_password(password)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user = get_user_model().objects.create_user(number, password=password, first_name=options["name"])
        people.hire(
            casino_id=casino.pk,
            number=number,
            name=options["name"],
            language=options["language"],
            user_id=user.pk,
            by=None,
            now=timezone.now(),
        )

    def _appoint(self, casino: Casino, options: dict[str, Any]) -> None:
        staff_id, pit_id = _staff(casino, options["number"]), _pit(casino, options["pit"])
        people.appoint(staff_id=staff_id, role=options["role"], pit_id=pit_id, by=None, now=timezone.now())

    def _dismiss(self, casino: Casino, options: dict[str, Any]) -> None:
        staff_id, pit_id = _staff(casino, options["number"]), _pit(casino, options["pit"])
        people.relieve_of_post(staff_id=staff_id, role=options["role"], pit_id=pit_id, by=None, now=timezone.now())

    def _pin(self, casino: Casino, options: dict[str, Any]) -> None:
        staff_id = _staff(casino, options["number"])
        people.set_pin(staff_id=staff_id, pin=_secret("PIN: "), by=None, now=timezone.now())

    def _leave(self, casino: Casino, options: dict[str, Any]) -> None:
        people.leave(staff_id=_staff(casino, options["number"]), by=None, now=timezone.now())

    def _list(self, casino: Casino, options: dict[str, Any]) -> None:
        rows = Staff.objects.filter(casino=casino, left_at=None).order_by("number")
        for staff in rows.filter(number=options["number"].upper()) if options["number"] else rows:
            posts = staff.appointments.filter(until_at=None).order_by("role", "pit__name").select_related("pit")
            told = ", ".join(f"{post.role} ({post.pit.name if post.pit else 'whole house'})" for post in posts)
            self.stdout.write(f"{staff.number}\t{staff.name}\t{told}")


def _secret(prompt: str) -> str:
    return getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")


def _casino(code: str | None) -> Casino:
    found = list(Casino.objects.filter(code=code) if code else Casino.objects.all())
    if len(found) != 1:
        raise CommandError(f"There are {len(found)} casinos to choose from: name one with --casino.")
    return found[0]


def _staff(casino: Casino, number: str) -> int:
    found = Staff.objects.filter(casino=casino, number=number.upper(), left_at=None).first()
    if found is None:
        raise CommandError(f"Nobody here has the staff number {number.upper()}.")
    return found.pk


def _pit(casino: Casino, name: str | None) -> int | None:
    if name is None:
        return None
    found = Pit.objects.filter(casino=casino, name=name).first()
    if found is None:
        raise CommandError(f"There is no pit {name!r}.")
    return found.pk
