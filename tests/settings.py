"""The service's settings as tests need them: the owner's connection, cheap password hashes, plain HTTP."""

import os

# Playwright runs an event loop in the thread of the test that also asks the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from django.contrib.auth.hashers import Argon2PasswordHasher

from casino.settings import *  # noqa: F403 # the service's settings, all of them, are the point
from casino.settings import DATABASE_OWNER_URL, database

SECRET_KEY = "a key that only tests know"
PIN_KEY = "another key that only tests know"
HTTPS = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 0
ALLOWED_HOSTS = ["*"]

# The files are found as they are asked for: every client of a test would look for all of them when it begins.
WHITENOISE_AUTOREFRESH = True

DATABASES = {"default": database(DATABASE_OWNER_URL, pooled=False)}
# As with the pool of the service, a connection outlives a request: one of the live server a thread.
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASE_OWNER_URL:
    DATABASES["default"]["ENGINE"] = "tests.database"


# Argon2id with the smallest cost, so that a hundred log-ins do not take a minute.
PIN_TIME_COST, PIN_MEMORY_KIB = 1, 8


class CheapArgon2(Argon2PasswordHasher):
    time_cost, memory_cost, parallelism = PIN_TIME_COST, PIN_MEMORY_KIB, 1


PASSWORD_HASHERS = ["tests.settings.CheapArgon2"]
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "memory://")
