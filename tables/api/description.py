"""The description of the API and its page, from files of our own: no other host is asked for anything."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from tables.api import security  # noqa: F401 # registers how the description names our authentication
from tables.api.authentication import MayDo


class Schema(SpectacularAPIView):
    """The API as OpenAPI."""

    deed = "public"
    permission_classes = [MayDo]


class Description(SpectacularSwaggerSplitView):
    """A page of the API to browse; its scripts and styles are files, as the content policy wants."""

    deed = "public"
    permission_classes = [MayDo]
    url_name = "api-schema"
    template_name = "tables/api.html"
