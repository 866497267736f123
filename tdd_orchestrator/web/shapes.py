"""What the API is given, as models: each request's query and body is one of these, and the OpenAPI document
has them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tdd_orchestrator.failures.mark_failed import FIT, NUMBER, Hours
from tdd_orchestrator.model.plan import ItemType, Priority

Title = Annotated[str, Field(min_length=1, max_length=200), FIT]
Id = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9_-]+$")]
Path = Annotated[str, Field(max_length=400), FIT]


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Query(Given):
    """``repo`` names the repository; the first one where it is left out."""

    repo: Annotated[str, Field(max_length=100)] = ""


class ItemNew(Given):
    title: Title
    description: Annotated[str, Field(max_length=8000), FIT] = ""
    type: ItemType = ItemType.BEHAVIOUR
    priority: Priority = Priority.MEDIUM
    parent: Annotated[str, Field(max_length=60)] = ""
    tags: Annotated[list[Annotated[str, Field(max_length=60), FIT]], Field(max_length=20)] = []
    hours: Hours = 0.0
    issue: Annotated[int, Field(ge=0, le=1_000_000_000), NUMBER] = 0
    test_file: Path = ""
    impl_file: Path = ""


class ItemEdit(Given):
    """Only what is given is changed."""

    title: Title | None = None
    description: Annotated[str, Field(max_length=8000), FIT] | None = None
    type: ItemType | None = None
    priority: Priority | None = None
    tags: Annotated[list[Annotated[str, Field(max_length=60), FIT]], Field(max_length=20)] | None = None
    hours: Hours | None = None
    issue: Annotated[int, Field(ge=0, le=1_000_000_000), NUMBER] | None = None
    test_file: Path | None = None
    impl_file: Path | None = None
    status: Literal["planned", "cancelled", "already_covered"] | None = None


class Order(Given):
    """Item ids as they are to stand; those that are not named keep their order behind them."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=5000)]


class Launch(Given):
    """What a person adds to an action: a hint, a comment, a reason; the item that an approval is about, or
    the cycle to abort."""

    text: Annotated[str, Field(max_length=2000), FIT] = ""
    about: Annotated[str, Field(max_length=60), FIT] = ""


class Page(Query):
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    offset: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0


class RecordQuery(Page):
    """``q`` is looked for in titles, messages, commits and ids."""

    q: Annotated[str, Field(max_length=200), FIT] = ""
    kind: Annotated[str, Field(max_length=40), FIT] = ""
    cycle: Annotated[str, Field(max_length=60), FIT] = ""


class ErrorQuery(Query):
    all: bool = False


class StatsQuery(Query):
    since: Annotated[str, Field(max_length=40, pattern=r"^(\d{4}-\d\d-\d\d[0-9T:.Z+-]*)?$")] = ""


class EventQuery(Query):
    """``after``: the number of the last event that was seen; -1: only what comes from now on."""

    after: Annotated[int, Field(ge=-1, le=1 << 62)] = -1
