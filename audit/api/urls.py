"""Addresses of reports under /api/."""

from django.urls import path

from audit.api import reports

urlpatterns = [
    path("reports", reports.Reports.as_view(), name="api-reports"),
    path("reports/<str:serial>", reports.OneReport.as_view(), name="api-report"),
    path("reports/<str:serial>/file", reports.ReportFile.as_view(), name="api-report-file"),
]
