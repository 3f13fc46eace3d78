"""The live floor's process: `uvicorn casino.asgi:application`. Everything else is casino.wsgi."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
django.setup()

from tables.api.stream import FloorStream  # noqa: E402 # it needs the settings

application = FloorStream()
