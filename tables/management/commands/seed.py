"""`manage.py seed`: build the demonstration house, once, and say how to get in."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from tables.demonstration import house


class Command(BaseCommand):
    help = "Build the demonstration house (known passwords; never beside another casino) and print its log-ins."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            consoles = house.build(timezone.now())
        except house.OtherHouseError:
            self.stderr.write("This database holds another casino: no demonstration is built beside it.")
            return
        say = self.stdout.write
        say("Demonstration house: every password and PIN below is public. Not for real play.")
        say("Log in at /login/ with number and password; at a table sign on with number and PIN.")
        for person in house.PEOPLE:
            say(f"  {person.number}  {person.role:<14}  password {person.password}  PIN {person.pin}  {person.name}")
        say("Consoles: open /console/<table>/ and give the device its token.")
        for console in consoles:
            told = console.token or f"given before; a new one: manage.py issue_token --table {console.table}"
            say(f"  {console.table:<10} {told}")
