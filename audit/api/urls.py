"""Addresses of reports under /api/."""

from django.urls import path

from audit.api import reports, seals

urlpatterns = [
    path("reports", reports.Reports.as_view(), name="api-reports"),
    path("reports/<str:serial>", reports.OneReport.as_view(), name="api-report"),
    path("reports/<str:serial>/file", reports.ReportFile.as_view(), name="api-report-file"),
    path("reports/<str:serial>/data", reports.ReportData.as_view(), name="api-report-data"),
    path("seals", seals.SealList.as_view(), name="api-seals"),
    path("seals/<int:number>", seals.SealFile.as_view(), name="api-seal"),
    path("proofs/entries", seals.ProofOfEntry.as_view(), name="api-proof-of-entry"),
    path("proofs/bets", seals.ProofOfBet.as_view(), name="api-proof-of-bet"),
    path("proofs/days", seals.ProofOfDays.as_view(), name="api-proof-of-days"),
]
