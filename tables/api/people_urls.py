"""Addresses of sign-ons and approvals under /api/."""

from django.urls import path

from tables.api import people

urlpatterns = [
    path("tables/<str:code>/signons", people.SignOns.as_view(), name="signons"),
    path("tables/<str:code>/staff", people.TableStaff.as_view(), name="table-staff"),
    path("approvals", people.Approvals.as_view(), name="approvals"),
    path("approvals/<uuid:approval_id>", people.OneApproval.as_view(), name="approval"),
]
