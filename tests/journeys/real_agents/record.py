"""Run a real client through every provoked fault and keep what it printed, for the tests that need no client.

``PYTHONPATH=tests:tests/journeys python -m real_agents.record CLIENT [FAULT...]``
"""

from __future__ import annotations

import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agents.provoked import PROVOKED, Recording, write

from tdd_orchestrator.agents.agent import Reply
from tdd_orchestrator.agents.preset import PRESETS

from .clients import ALL, folder, install
from .stage import JOB, Stage, build, scenario

_PLACE = re.compile(r"/tmp/tdd-record-[^/\s\"]+")
_DASHED = re.compile(r"-tmp-tdd-record-[\w-]*?(?=-tree)")  # as claude names a folder of its own after a path
_SECRET = re.compile(r"sk-[\w-]{6,}")


def provoke(stage: Stage, name: str) -> Reply:
    row = PROVOKED[name]
    return stage.ask(JOB, timeout=row.limit, url=row.url)


def _public(text: str) -> str:
    """Return the text without places of this machine and without keys."""
    text = _PLACE.sub("/home/ada", text.replace(str(folder()), "/opt/agents"))
    return _SECRET.sub("sk-x", _DASHED.sub("-home-ada", text))


def record(preset: str, name: str) -> Recording:
    with tempfile.TemporaryDirectory(prefix="tdd-record-", ignore_cleanup_errors=True) as place:
        stage = build(preset, scenario(*PROVOKED[name].steps), Path(place))
        try:
            reply = provoke(stage, name)
        finally:
            stage.close()
        # read while its home is there
        log = stage.log(reply.session) if PRESETS[ALL[preset].row].read_log else b""
    streams = [getattr(stage.outputs[-1], stream) for stream in ("stdout", "stderr", "file")]
    texts = [_public(one.decode("utf-8", "replace")) for one in (*streams, log)]
    return Recording(
        name,
        reply.version,
        reply.exit_code,
        reply.timed_out,
        *texts,
        fault=reply.fault,
    )


def main(preset: str, *names: str) -> None:
    program, why = install(preset)
    if program is None:
        sys.exit(why)
    with ThreadPoolExecutor(6) as pool:  # most of a run is waiting
        rows = list(pool.map(lambda name: record(preset, name), names or PROVOKED))
    write(preset, rows)
    for row in rows:
        as_expected = row.fault in PROVOKED[row.provoked].by(preset)[0]
        print(
            f"{'  ' if as_expected else '! '}{preset}: {row.provoked}: {row.fault or 'got through'} (exit {row.exit_code})"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
