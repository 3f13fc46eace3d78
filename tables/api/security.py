"""How the description of the API names the two ways of saying who asks. Importing it is what registers them."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object

from tables.api.authentication import SCHEME


class DeviceTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # registers by subclassing
    """A device and its token."""

    target_class = "tables.api.authentication.DeviceAuthentication"
    name = "device"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Describe the header."""
        return dict(build_bearer_security_scheme_object("Authorization", SCHEME))


class LogInScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # registers by subclassing
    """A person's log-in, by its cookie."""

    target_class = "tables.api.authentication.StaffSession"
    name = "log-in"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Describe the cookie."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}
