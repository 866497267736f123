"""``tdd worker``: a place of a Dask cluster where agents work and commits are proven."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping

import click

from tdd_orchestrator.model.errors import Refused, add_extra


@click.command()
@click.argument("scheduler", metavar="SCHEDULER")
@click.option("--threads", type=click.IntRange(1, 64), default=1, help="Tasks at once (default: 1).")
@click.option("--name", default=None, help="The worker's name in Dask's dashboard.")
@click.option(
    "--has",
    multiple=True,
    metavar="NAME",
    help="What this machine has for items and projects that need it, such as gpu; may be given several times.",
)
def worker(scheduler: str, threads: int, name: str | None, has: tuple[str, ...]) -> None:
    """Start a Dask worker for SCHEDULER (tcp://HOST:PORT) that takes attempts and test runs.

    It tells the scheduler which agents and which sandbox it has. Agents get their keys from this command's
    environment.
    """
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise Refused("Dask is not installed.", add_extra("dask")) from error
    from tdd_orchestrator.config.schema import ADDRESS
    from tdd_orchestrator.fleet.cluster import check_certificates
    from tdd_orchestrator.fleet.worker import resources

    if not ADDRESS.fullmatch(scheduler):
        raise Refused(
            f"{scheduler!r} is no address of a scheduler.",
            "Name it as `dask scheduler` prints it: tdd worker tcp://HOST:PORT",
        )
    check_certificates(scheduler, "worker")
    offered = resources(threads) | dict.fromkeys(has, float(threads))
    asyncio.run(_serve(scheduler, threads, name, offered))


async def _serve(scheduler: str, threads: int, name: str | None, has: Mapping[str, float]) -> None:
    from distributed import Worker

    from tdd_orchestrator.fleet.cluster import gone

    try:
        place = await Worker(
            scheduler, nthreads=threads, name=name, resources=dict(has), memory_limit=0, death_timeout=30,
            heartbeat_interval="1s",
        )  # fmt: skip
    except (OSError, TimeoutError) as error:
        raise gone(scheduler, await _reason(scheduler) or error) from error
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: asyncio.ensure_future(place.close()))
    click.echo(f"Worker {place.name} at {place.address}: {', '.join(has)}; {threads} at once")
    await place.finished()


async def _reason(scheduler: str) -> BaseException | None:
    """Return why a connection fails; a worker that tries again and again keeps it to itself."""
    from distributed.comm import connect
    from distributed.security import Security

    try:
        await (await connect(scheduler, timeout=2, **Security().get_connection_args("worker"))).close()
    except (OSError, TimeoutError) as error:
        return error
    return None
