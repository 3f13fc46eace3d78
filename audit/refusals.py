"""Why a report cannot be had, each with a stable code. It never decides."""

from enum import StrEnum


class ReportCode(StrEnum):
    """Codes of refused requests for reports."""

    UNKNOWN_KIND = "unknown_kind"
    UNKNOWN_LANGUAGE = "unknown_language"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_DEAL = "unknown_deal"
    UNKNOWN_REPORT = "unknown_report"
    BAD_SCOPE = "bad_scope"
    NOT_SEALED = "not_sealed"
    REPORT_FINISHED = "report_finished"
    UNKNOWN_EXCEPTION = "unknown_exception"
    UNKNOWN_STAFF = "unknown_staff"
    BAD_OUTCOME = "bad_outcome"
    SETTLED_ALREADY = "settled_already"
    FILE_DIFFERS = "file_differs"


class ReportRefused(Exception):
    """A request that cannot be met; nothing has changed."""

    def __init__(self, code: ReportCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
