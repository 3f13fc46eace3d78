"""Addresses of the audit's pages."""

from django.urls import path

from audit.pages import follow_ups, reports, seals, shuffles

urlpatterns = [
    path("audit/", reports.reports, name="audit"),
    path("audit/<str:serial>/", reports.report, name="report"),
    path("audit/<str:serial>/cancel/", reports.cancel, name="report-cancel"),
    path("audit/<str:serial>.pdf", reports.file, name="report-file"),
    path("audit/<str:serial>.zip", reports.file, name="bundle-file"),
    path("audit/<str:serial>.jsonl.gz", reports.data, name="report-data"),
    path("exceptions/", follow_ups.exceptions, name="exceptions"),
    path("exceptions/<int:pk>/owner", follow_ups.owner, name="exception-owner"),
    path("exceptions/<int:pk>/outcome", follow_ups.outcome, name="exception-outcome"),
    path("shuffles/", shuffles.shuffles, name="shuffles"),
    path("seals/", seals.seals, name="seals"),
    path("seals/<int:number>.jsonl", seals.seal_file, name="seal-file"),
    path("seals/proof", seals.proof, name="proof"),
    path("verify/certificate.pem", reports.certificate, name="certificate"),
    path("verify/<str:serial>", reports.verify, name="verify"),
]
