"""Addresses of log-in, language and a person's own page."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from tables.pages import people

urlpatterns = [
    path("", people.home, name="home"),
    path("login/", people.LogIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(next_page="login"), name="logout"),
    path("language/", people.language, name="language"),
    path("me/", people.me, name="me"),
]
