"""The four kinds of row and the guards that follow from them. It never names a table of its own.

Every model of `tables` and `audit` derives from exactly one of `Fact`, `Head`, `Work` and `Erasable`. The triggers
come with the base class; the privileges of the service's database role (`manage.py grant`) follow from the same
declaration, so that a row is guarded twice by one word.
"""

from enum import StrEnum
from typing import Any, ClassVar

import pgtrigger.migrations
from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class RowKind(StrEnum):
    """What may happen to a row after it has been inserted."""

    FACT = "fact"
    HEAD = "head"
    WORK = "work"
    TEXT = "text"


class MovesOnly(pgtrigger.ReadOnly):
    """Refuse an update that touches any column but the named ones."""

    def __init__(self, *movable: str) -> None:
        self.movable = movable
        super().__init__(name="moves_only", exclude=list(movable))


class ErasesOnly(pgtrigger.Trigger):
    """Refuse an update that leaves anything in the named columns."""

    def __init__(self, *erasable: str) -> None:
        super().__init__(
            name="erases_only",
            when=pgtrigger.Before,
            operation=pgtrigger.Update,
            condition=~pgtrigger.Q(**{f"new__{column}__isnull": True for column in erasable}),
            func="RAISE EXCEPTION 'pgtrigger: a row of % may be erased, nothing else', TG_TABLE_NAME;",
        )


def erases(*columns: str) -> list[pgtrigger.Trigger]:
    """Guard a row that may change only by setting all of these columns to NULL."""
    return [MovesOnly(*columns), ErasesOnly(*columns)]


class AddGuard(pgtrigger.migrations.AddTrigger):
    """Add a trigger as pgtrigger does, without rendering its model and all that are related to it anew.

    No migration reads a model's triggers, and two hundred renderings are a third of the time of a first start.
    """

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        options = state.models[app_label, self.model_name].options
        options["triggers"] = [*options.get("triggers", []), self.trigger]

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        assert isinstance(self.trigger, pgtrigger.compiler.Trigger)
        schema_editor.execute(self.trigger.install_sql, params=None)


def _keeps_rows() -> list[pgtrigger.Trigger]:
    return [
        pgtrigger.Protect(name="no_delete", operation=pgtrigger.Delete),
        pgtrigger.Trigger(
            name="no_truncate",
            when=pgtrigger.Before,
            operation=pgtrigger.Truncate,
            level=pgtrigger.Statement,
            func="RAISE EXCEPTION 'pgtrigger: Cannot truncate % table', TG_TABLE_NAME;",
        ),
    ]


class Fact(models.Model):
    """A row that is inserted and never touched again; a correction is another fact."""

    row_kind: ClassVar[RowKind] = RowKind.FACT

    class Meta:
        abstract = True
        triggers: ClassVar[list[Any]] = [
            pgtrigger.Protect(name="no_update", operation=pgtrigger.Update),
            *_keeps_rows(),
        ]


class Head(models.Model):
    """A row whose named columns may move; what it says can be rebuilt from facts.

    A subclass names them: `triggers = [*Head.Meta.triggers, MovesOnly("sequence", "hash")]`.
    """

    row_kind: ClassVar[RowKind] = RowKind.HEAD

    class Meta:
        abstract = True
        triggers: ClassVar[list[Any]] = _keeps_rows()


class Work(models.Model):
    """A row that may change and go, and that proves nothing."""

    row_kind: ClassVar[RowKind] = RowKind.WORK

    class Meta:
        abstract = True


class Erasable(models.Model):
    """A row of text from or about people that may be erased, and nothing else.

    A subclass names the columns: `triggers = [*Erasable.Meta.triggers, *erases("salt", "text")]`.
    """

    row_kind: ClassVar[RowKind] = RowKind.TEXT

    class Meta:
        abstract = True
        triggers: ClassVar[list[Any]] = _keeps_rows()


def movable_columns(model: type[models.Model]) -> tuple[str, ...]:
    """Name the columns that an update may set, as the guard of a head or of an erasable row declares them."""
    for trigger in getattr(model._meta, "triggers", ()):
        if isinstance(trigger, MovesOnly):
            fields = {field.name: str(field.column) for field in model._meta.concrete_fields}
            return tuple(fields[name] for name in trigger.movable)
    return ()
