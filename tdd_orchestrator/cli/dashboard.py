"""``tdd dashboard``: the plan, cycles, audit and analytics in a browser, on this machine only."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from tdd_orchestrator.model.errors import Refused, add_extra


@click.command()
@click.argument(
    "folders", metavar="[DIR]...", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1; 0 takes a free one."
)
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.option("--no-browser", is_flag=True, help="Print the address, do not open it.")
def dashboard(folders: tuple[Path, ...], port: int, read_only: bool, no_browser: bool) -> None:
    """Show this repository, or those in each DIR, in your browser. Ctrl-C ends it."""
    try:
        from tdd_orchestrator.web.security import Access
        from tdd_orchestrator.web.server import listening, serve
        from tdd_orchestrator.web.site import open_sites
    except ImportError as error:
        what = f"The dashboard needs {error.name}, which is not installed."
        raise Refused(what, add_extra("web")) from error
    on = listening(port)
    access = Access.new(on.getsockname()[1], read_only=read_only)
    sites = open_sites(folders or (Path.cwd(),))
    address = f"http://127.0.0.1:{access.port}/?token={access.token}"

    def ready() -> None:
        click.echo(address)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
        serve(sites, access, on, ready)
