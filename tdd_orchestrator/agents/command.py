"""Any command line as an agent: one mechanism under every preset (A2-A7).

The tree is its working folder; it sees a short list of variables, a temporary folder of its own and the
folder for its reports. Its whole process group, and whatever carries the run's cookie, is ended before this
returns.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from tdd_orchestrator.agents.agent import TIMEOUT, AgentStatus, Reply, Request, Usage
from tdd_orchestrator.agents.parsed_output import LimitWatch, Output, ParsedOutput
from tdd_orchestrator.agents.preset import COMMAND, Preset, argv_of, client_version, place_of, quiet
from tdd_orchestrator.agents.usage import Price, logged_or, priced
from tdd_orchestrator.agents.validate import hold, judge, new_incident, put, read_left, record, scrub
from tdd_orchestrator.process import Finished, Limits, run
from tdd_orchestrator.redaction import Redact, redacted_cut, redactor
from tdd_orchestrator.text import plain


def _slash_command(preset: Preset, request: Request, root: Path | None) -> str:
    """The command's name, or "" where the specialist is a role prompt. The command must lie in the agent's
    tree as it lies in the user's, ``root``: one that an agent wrote or changed, or put beside the user's, is
    not called."""
    if request.phase != "fix" or root is None:
        return ""
    places = [place.format(name=request.role) for place in preset.commands]
    mine, given = ([read_left(tree / place) for place in places] for tree in (root, request.tree))
    return request.role if any(mine) and mine == given else ""


Wrap = Callable[[list[str], Request], list[str]]

ALLOWED = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS", "HTTP_PROXY",
    "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "VIRTUAL_ENV", "JAVA_HOME",
    "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "SYSTEMROOT",
)  # fmt: skip
"""What an agent gets of the user's environment; its keys come from its preset's row and from ``pass_env``."""

_QUIET = {
    "CI": "true", "NO_COLOR": "1", "TERM": "dumb", "DO_NOT_TRACK": "1", "PAGER": "cat", "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "EDITOR": "true", "VISUAL": "true", "GIT_TERMINAL_PROMPT": "0", "DEBIAN_FRONTEND": "noninteractive",
}  # fmt: skip
"""No pager, no editor, no question, no colour."""

TRANSCRIPT = "transcript.txt"
PROMPT = "prompt.md"
_TRANSCRIPT_SIZE = 4 << 20  # characters
_TEXT_SIZE = 64 << 10
_REPORT_SIZE = 256 << 10
_LONGEST_ARGUMENT = 96 << 10  # bytes; Linux refuses one word of 128 KiB
_SCRATCH_FILE = 32 << 20
_SESSION = re.compile(r"[\w-]{8,80}")
_SESSION_LOG = 64 << 20
_DATABASE = 5.0  # seconds that reading a client's database may take
_MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """``command`` stands for the preset's program; for a command of the user's own it is the whole line."""

    name: str
    command: tuple[str, ...] = ()
    preset: Preset = COMMAND
    model: str = ""
    timeout: float = TIMEOUT  # seconds, where the request does not say
    idle_timeout: float = 0.0
    pass_env: tuple[str, ...] = ()
    wrap: Wrap | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    redact: Redact | None = None
    inherit: bool = True  # the user's own hooks, memories and MCP servers of the client
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model
    root: Path | None = None  # the user's tree: where a command that the agent's tree lacks is looked for

    def work(self, request: Request, on_output: Callable[[bytes], None] | None = None) -> Reply:
        """Run the agent to its end or its time limit; never raises for what the agent does."""
        scratch, started = Path(tempfile.mkdtemp(prefix="tdd-")), datetime.now(UTC)
        limit = LimitWatch(self.preset.parse)
        session = request.session or self._new_session()

        def feed(data: bytes) -> None:
            limit.feed_stdout(data)
            if on_output:
                on_output(data)

        try:
            finished, file = self._run(request, scratch, limit, feed, session)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        parsed = self.preset.parse(Output(finished.stdout, finished.stderr, file, finished.exit_code))
        if request.read_only and self.preset is COMMAND:
            # Whoever only reads answers in words: what a command prints that we do not know is its answer.
            parsed = replace(parsed, text=finished.stdout.decode("utf-8", "replace"))
        parsed = replace(parsed, session=parsed.session or session)
        parsed = replace(parsed, usage=self._counted(parsed, started))
        if limit.found and finished.timed_out == "stop":
            why = limit.found
            parsed = replace(parsed, trouble=why.trouble, fault=why.fault, retry_after=why.retry_after)
        reply = self._reply(request, finished, parsed)
        record(reply, request)
        return reply

    def environment(self, request: Request, scratch: Path) -> dict[str, str]:
        """All that the agent sees: the short list, its keys, its row's settings, the contract's variables."""
        names = (*ALLOWED, *self.preset.keys, *self.pass_env)
        kept = {name: self.environ[name] for name in names if name in self.environ}
        kept |= {name: value for name, value in self.environ.items() if name.startswith("LC_")}
        kept |= _QUIET | dict(self.preset.environment)
        if request.read_only:
            kept |= self.preset.read_only_environment
        return kept | {
            **request.env,
            "TMPDIR": "/tmp" if self.wrap else str(scratch),
            "TDD_PHASE": request.phase,
            "TDD_ROLE": request.role,
            "TDD_CYCLE_ID": request.cycle_id,
            "TDD_ATTEMPT": str(request.attempt),
            "TDD_OUTPUT_DIR": str(request.output),
            **({"TDD_FAILED_PHASE": request.failed_phase} if request.failed_phase else {}),
            **({"TDD_PORT": str(request.port)} if request.port else {}),
        }

    def _new_session(self) -> str:
        """Return a name for a new session, where the client takes one; else ""."""
        from uuid import uuid4

        return str(uuid4()) if self.preset.new_session else ""

    def _counted(self, parsed: ParsedOutput, started: datetime) -> Usage:
        """Return the run's usage, from its output and the client's own session log; priced where it reports
        no cost."""
        usage = parsed.usage
        if self.preset.read_log is not None:
            logged = self.preset.read_log(session_log(self.preset, parsed.session, self.environ), started)
            usage = logged_or(usage, logged, first=self.preset.log_first)
        return priced(usage, parsed.model or self.model, self.prices)

    def _run(
        self,
        request: Request,
        scratch: Path,
        limit: LimitWatch,
        on_output: Callable[[bytes], None],
        session: str,
    ) -> tuple[Finished, bytes]:
        command = self._found(request.tree)
        missing = self._missing((command or (self.preset.program,))[0], request.tree)
        if missing:
            return Finished((), None, error=missing), b""
        # Beside the reports: in a sandbox the temporary folder is a private one, and some agents read nowhere
        # else.
        place = request.output / f".scratch-{secrets.token_hex(3)}"
        place.mkdir()
        slash = _slash_command(self.preset, request, self.root)
        # The output folder by its name: many tools know no variables.
        prompt = self._prompt(request.prompt.replace("$TDD_OUTPUT_DIR", str(request.output)), place, slash)
        argv = argv_of(
            self.preset,
            command,
            read_only=request.read_only,
            contained=self.wrap is not None,
            inherit=self.inherit,
            model=self.model,
            session=request.session,
            new_session=session,
            called=slash,
            places={"prompt": prompt, "scratch": str(place), "output": str(request.output)},
        )
        if self.wrap:
            argv = self.wrap(argv, request)
        try:
            finished = run(
                argv,
                cwd=request.tree,
                env=self.environment(request, scratch),
                stdin=prompt.encode() if self.preset.prompt == "stdin" else None,
                limits=replace(self._limits(request), stop=limit.stop),
                run_marker=request.run_marker or secrets.token_hex(8),
                on_output=on_output,
                on_error=limit.feed_stderr,
            )
            file = (read_left(place / self.preset.file, _SCRATCH_FILE) or b"") if self.preset.file else b""
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return finished, file

    def _found(self, tree: Path) -> tuple[str, ...]:
        """The command with relative paths as the user meant them: a program is the user's own, never the
        agent's copy; a script that is not in the agent's tree (it was never committed) is the one in the
        user's."""
        words = list(self.command)
        for number, word in enumerate(words if self.root else ()):
            mine = self.root / word if self.root else Path(word)
            program = number == 0 and "/" in word
            if number == 0 and not program:
                continue  # a name to be found on the PATH
            # os.path's, which says no of what is too long for a name: a script in the command line
            if not os.path.isabs(word) and os.path.isfile(mine) and (program or not (tree / word).exists()):
                words[number] = str(mine.resolve())
        return tuple(words)

    def _missing(self, program: str, tree: Path) -> str:
        """Why it cannot be run, or "". Looked for here: inside a sandbox it would be the sandbox that
        fails."""
        there = (
            (tree / program).exists()
            if "/" in program
            else shutil.which(program, path=self.environ.get("PATH"))
        )
        if there:
            return ""
        how = f" ({self.preset.install})" if self.preset.install else ""
        return f"{program}: no such program{how}"

    def _limits(self, request: Request) -> Limits:
        return Limits(
            timeout=(request.timeout or self.timeout) * request.stretch,
            idle=(request.idle_timeout or self.idle_timeout) * request.stretch,
            tail=8 << 20,
        )

    def _prompt(self, prompt: str, place: Path, slash: str) -> str:
        """Return the prompt as it is handed over.

        A prompt that is too long for the command line goes by a file, and so does the argument of a slash
        command: agents cut it at spaces, remove quotes, and one runs it as a command.
        """
        if self.preset.prompt == "stdin" and not slash:
            return prompt
        prompt = prompt.replace("\0", "")
        if slash or self.preset.prompt == "file" or len(prompt.encode()) > _LONGEST_ARGUMENT:
            path = place / "prompt.md"
            path.write_text(prompt, encoding="utf-8")
            call = f"/{slash} " if slash and not self.preset.call else ""
            return f"{call}Your task is in the file {path}. Read it now and do what it says."
        # A positional prompt must not look like an option, a file reference or a command.
        return f"Task: {prompt}" if prompt[:1] in ("-", "@", "/", "!") else prompt

    def _reply(self, request: Request, finished: Finished, parsed: ParsedOutput) -> Reply:
        redact = self.redact or redactor(self.environ)
        hold(request.output)
        content = read_left(request.output / request.requires) if request.requires else None
        if (
            content is None
            and request.requires
            and request.read_only
            and parsed.completed
            and not parsed.trouble
        ):
            # An agent that may only read cannot write its report: its final answer is the report.
            content = parsed.text.encode() or None
            if content:
                put(request.output / request.requires, redact(plain(parsed.text)))
        judgement = judge(
            finished,
            parsed,
            completion=self.preset.completion,
            required=request.requires,
            size=None if content is None else len(content.strip()),
        )
        if content is None:
            content = read_left(request.output / "report.md") or b""
        transcript = self._keep(request, finished, redact)
        scrub(request.output, redact, besides=TRANSCRIPT)
        failed = judgement.status is not AgentStatus.SUCCESS
        return Reply(
            agent=self.name,
            status=judgement.status,
            failure_reason=redact(plain(judgement.reason)),
            fault=judgement.fault,
            error=redact(plain(parsed.trouble)),
            retry_after=parsed.retry_after,
            exit_code=finished.exit_code,
            signal=judgement.signal,
            timed_out=finished.timed_out,
            text=redacted_cut(plain(parsed.text), _TEXT_SIZE, redact),
            report=redacted_cut(plain(content.decode("utf-8", "replace")), _REPORT_SIZE, redact),
            model=parsed.model or self.model,
            session=parsed.session if self.preset.session else "",  # one that no run can go on with is none
            version=parsed.version or self._version(finished),
            usage=parsed.usage,
            signalled=bool(request.signal)
            and (request.signal in parsed.text or request.signal.encode() in finished.stdout),
            seconds=finished.seconds,
            orphans=finished.orphans,
            transcript=transcript,
            incident=new_incident() if failed else "",
        )

    def _version(self, finished: Finished) -> str:
        """Ask the client for its version, where its output does not name it."""
        program = self.command[0] if self.command else self.preset.program
        if finished.exit_code is None or not self.preset.version or Path(program).name != self.preset.program:
            return ""
        environ = quiet(
            {name: self.environ[name] for name in ALLOWED if name in self.environ}, self.preset.environment
        )
        return client_version(program, self.preset.version, environ)

    def _keep(self, request: Request, finished: Finished, redact: Redact) -> Path | None:
        """Keep both streams, and the prompt, as plain, redacted, size-capped text in the output folder."""
        parts = [plain(finished.stdout.decode("utf-8", "replace"))]
        if finished.stderr:
            parts.append("--- standard error ---\n" + plain(finished.stderr.decode("utf-8", "replace")))
        path = request.output / TRANSCRIPT
        put(path, redacted_cut("\n".join(parts), _TRANSCRIPT_SIZE, redact))
        put(request.output / PROMPT, redacted_cut(request.prompt, _TRANSCRIPT_SIZE, redact))
        return path


def session_log(preset: Preset, session: str, environ: Mapping[str, str]) -> bytes:
    """Return what the client itself wrote of a session, b"" where that is not to be found."""
    if not _SESSION.fullmatch(session):
        return b""
    home, logs = Path(environ.get("HOME", "/nonexistent")), []
    for pattern in preset.session_log.format(session=session).split():
        top, _, rest = pattern.partition("/")
        found = place_of(preset, f"{top}/", home, environ).glob(rest)
        rows = preset.session_rows
        logs += [
            _rows(path, rows, session) if rows else read_left(path, _SESSION_LOG) or b"" for path in found
        ]
    return b"\n".join(logs)


def _rows(path: Path, query: str, session: str) -> bytes:
    """Return a session's lines from a client's database; b"" where it cannot be read, or takes too long.

    An agent may have written anything there: a pipe, a view that never ends.
    """
    import sqlite3

    if path.is_symlink() or not path.is_file():
        return b""
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_DATABASE)
        ) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            end = time.monotonic() + _DATABASE
            database.set_progress_handler(lambda: int(time.monotonic() > end), 10_000)
            found = database.execute(query, (session,)).fetchmany(_MOST_ROWS)
    except sqlite3.Error:
        return b""
    return b"\n".join(str(row[0]).encode() for row in found)
