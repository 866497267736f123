"""Secrets out of text, before anything is stored or shown (T51, T52).

Two ways: the literal values of secret environment variables, in the spellings that programs give them, and a
table of shapes that keys of known providers have. There is no guess by entropy: commit ids, uuids, hashes and
test ids survive.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from tdd_orchestrator.text import middle_cut, plain

Redact = Callable[[str], str]

_MARGIN = 8192  # characters on each side of a cut; the longest secret, a private key, has half as many
_SHORTEST = 8  # characters of a variable's value; a shorter one would blot out ordinary words
LEAST = 6  # a shorter value is too likely to be part of ordinary words
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_OPEN_KEY = re.compile(
    r"(?:(?:\\n|\s){1,4}[A-Za-z0-9+/=]{8,80}){0,200}"
)  # what a key whose end was cut off looks like


_SECRET_NAME = re.compile(
    "(?i)(?:^|[_-])(?:(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION)?_?KEYS?|TOKENS?|SECRETS?"
    "|PASS|PASSWDS?|PASSWORDS?"
    r"|PASSPHRASES?|PWD|CREDS?|CREDENTIALS?|AUTH|DSN|PATS?|JWTS?|COOKIES?|BEARER|WEBHOOKS?)(?:_|-|$|\d)"
)
_NOT_SECRET = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK", "SSH_ASKPASS", "GIT_ASKPASS", "XAUTHORITY"})


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name holds a secret: the one answer for redaction, tests and agents."""
    return name.upper() not in _NOT_SECRET and _SECRET_NAME.search(name) is not None


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose name says that they are secret, longest first."""
    found = {value for name, value in environment.items() if len(value) >= _SHORTEST and is_secret_name(name)}
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind of secret looks. One of ``words`` stands in any text that holds it; the group ``secret``,
    or else the whole match, is taken out. ``key``: so sure a shape that it counts as a key in code.
    ``samples`` are made up."""

    name: str
    words: tuple[str, ...]
    pattern: str
    key: bool = True
    samples: tuple[str, ...] = ()


_NAMES = (
    "(?:password|passwd|passphrase|pwd|secret|token|api_?key|apikey|access_?key|secret_?key"
    "|private_?key|client_?secret"
    r"|auth_?token|credentials?|PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|SECRET_?KEY"
    "|PRIVATE_?KEY|CLIENT_?SECRET|CREDENTIALS?|Password|Pwd|apiKey|accessToken|authToken"
    "|clientSecret|secretKey)"
)
_WORDS = (
    "pass",
    "PASS",
    "Pass",
    "pwd",
    "PWD",
    "Pwd",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "key",
    "KEY",
    "Key",
    "redential",
    "REDENTIAL",
)

_START = r"(?<![A-Za-z0-9])"  # an underscore may stand before a key: ``my_sk-...``
_STOP = r"(?![A-Za-z0-9])"

# fmt: off
SHAPES: tuple[Shape, ...] = (
    Shape("aws-access-key", ("AKIA", "ASIA"), _START + r"(?:AKIA|ASIA)[0-9A-Z]{16}" + _STOP,
        samples=("AKIAQ3EGRZ7XMPL4TTYD",)),
    Shape(
        "aws-secret-key",
        ("ecret", "ECRET"),
        (
            r"(?i:aws_?secret_?(?:access_?)?key)['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?P<secret>[A-Za-z0-9/+]{40})"
            "(?![A-Za-z0-9/+])"
        ),
        samples=("aws_secret_access_key = " + "wJalrXUtn/K7MDENGbPxRfiCYzzzzzKEYqwerty1",),
    ),
    Shape("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})",
        samples=("ghp_" + "a1B2" * 9, "github_pat_" + "11ABCDEFG0" * 4)),
    Shape("gitlab", ("glpat-", "glptt-", "gldt-"), _START + r"gl(?:pat|ptt|dt)-[\w-]{20,64}",
        samples=("glpat-" + "x7Yz" * 5,)),
    Shape("anthropic", ("sk-ant-",), _START + r"sk-ant-[\w-]{20,200}",
        samples=("sk-ant-api03-" + "Ab3_" * 10,)),
    Shape("openai", ("sk-",), _START + (
        "sk-(?!ant-)(?:proj-|svcacct-|admin-"
        r"|or-v1-)?(?=[\w-]{0,200}\d)[A-Za-z0-9_-]{20,200}"
    ), samples=("sk-proj-" + "aB3d" * 12, "sk-" + "T3Bl" * 12)),
    Shape("google", ("AIza", "ya29.", "GOCSPX-"),
        _START + r"(?:AIza[\w-]{35}|ya29\.[\w-]{20,400}|GOCSPX-[\w-]{28})", samples=("AIza" + "SyA1b" * 7,)),
    Shape("slack", ("xox", "xapp-", "hooks.slack.com"),
        _START + (
            r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10,250}"
            r"|hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_-]{20,100})"
        ), samples=("xoxb-" + "123456789012-" + "abcDEF1234567890",
        "https://hooks.slack.com/services/T0AAAAAAA/B0BBBBBBB/" + "c" * 24)),
    Shape("stripe", ("_live_", "_test_", "whsec_"),
        _START + r"(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,200}|whsec_[A-Za-z0-9+/=]{24,100})",
        samples=("sk_live_" + "4eC39HqL" * 3,)),
    Shape("npm", ("npm_",), _START + r"npm_[A-Za-z0-9]{36}" + _STOP, samples=("npm_" + "aB3d" * 9,)),
    Shape("pypi", ("pypi-",), _START + r"pypi-AgE[\w-]{50,500}",
        samples=("pypi-AgEIcHlwaS5vcmc" + "CJDk" * 12,)),
    Shape("rubygems", ("rubygems_",), _START + r"rubygems_[0-9a-f]{48}" + _STOP,
        samples=("rubygems_" + "0a1b" * 12,)),
    Shape("docker", ("dckr_pat_", "dckr_oat_"), _START + r"dckr_[po]at_[\w-]{20,64}",
        samples=("dckr_pat_" + "aB3d" * 7,)),
    Shape("huggingface", ("hf_",), _START + r"hf_[A-Za-z0-9]{34,60}" + _STOP,
        samples=("hf_" + "aBcDeFgH" * 4 + "iJ",)),
    Shape("sendgrid", ("SG.",), _START + r"SG\.[\w-]{16,32}\.[\w-]{32,64}",
        samples=("SG." + "abcd" * 5 + "xy." + "EFGH" * 10,)),
    Shape("telegram", ("AA",), _START + r"\d{8,10}:AA[\w-]{33}" + _STOP,
        samples=("123456789:AA" + "bcdEFGHijkl" * 3,)),
    Shape("cloud-tokens", ("dop_v1_", "doo_v1_", "shpat_", "shpss_", "dapi", "lin_api_", "gsk_", "xai-",
            "pplx-", "hvs.", "glsa_", "ATATT3", "AGE-SECRET-KEY-1", "dp.pt.", ".atlasv1.", "fo1_", "rnd_",
            "sbp_", "vercel_", "nvapi-", "r8_", "key-"),
            (
                r"\b(?:do[op]_v1_[0-9a-f]{64}|shp(?:at|ss)_[0-9a-f]{32}|dapi[0-9a-f]{32}|lin_api_\w{32,48}"
                r"|gsk_\w{40,64}|xai-\w{40,100}|pplx-\w{40,64}|hvs\.[\w-]{24,200}|glsa_\w{32,60}"
                r"|ATATT3[\w=-]{60,250}|AGE-SECRET-KEY-1[0-9A-Z]{58}|dp\.pt\.\w{40,48}"
                r"|\w{14}\.atlasv1\.[\w-]{60,80}|fo1_[\w-]{40,50}|rnd_\w{28,40}|sbp_[0-9a-f]{40}"
                r"|nvapi-[\w-]{60,70}|r8_\w{37,40}|key-[0-9a-f]{32})\b"
            ), samples=("dop_v1_" + "0a1b2c3d" * 8, "hvs." + "CAES" * 8)),
    Shape("azure-account-key", ("AccountKey=", "SharedAccessKey=", "sig="),
        (
            "(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,100}={0,2})"
            "|[?&]sig=(?P<signature>[A-Za-z0-9%+/]{40,120})"
        ), samples=("AccountKey=" + "Eby8vdM0" * 10 + "==",)),
    Shape("jwt", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,2000}",
        samples=("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dBjftJeZ4CVP",)),
    Shape("basic-auth-url", ("://",), (
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"<>]{0,100}:"
        r"(?P<secret>[^\s/@'\"<>\[${]{1,200})@"
    ), key=False, samples=("postgres://app:hunter22@db.example/shop",)),
    Shape("authorization", ("earer ", "EARER ", "uthorization", "UTHORIZATION"),
        (
            r"\b[Bb](?:earer|EARER) (?P<secret>[\w.~+/=-]{16,4000})"
            r"|(?i:\bauthorization)['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?i:basic|token|bearer"
            r"|digest)\s{1,4}(?P<header>[\w.~+/=-]{6,4000})"
        ), key=False, samples=("Authorization: Basic YXBwOmh1bnRlcjIy", (
            "authorization: Bearer "
            "abcdef0123456789abcdef"
        ))),
    Shape(
        "assignment",
        _WORDS,
        (
            rf"(?<![\w\[])\w{{0,40}}?{_NAMES}['\"]?(?:\s{{0,4}}[:=]>?\s{{0,4}}['\"]"
            rf"(?P<secret>[^\s'\"<>{{}}\[\]$][^\n'\"]{{5,200}})['\"]"
            rf"|=(?P<bare>[^\s'\"<>{{}}\[\]$&,;()*][^\s'\"&,;()<>\[\]{{}}]{{5,200}})(?![\w(.\[]))"
        ),
        key=False,
        samples=("DB_PASSWORD=hunter2hunter2", '{"api_key": "abc123def456"}',
            "https://example.org/x?token=abcdef123456"),
    ),
)
# fmt: on
_NO_SECRET = re.compile(
    "^(?:none|null|nil|true|false|undefined|str|string|int|bytes|bool|changeme|example|placeholder"
    "|redacted|required"
    r"|optional|os\.|self\.|process\.|config\.|settings\.|env\.|request\.|args\.|x{4,}|\*{3,}"
    r"|\.{3,}|your[-_ ].*)",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _spellings(secret: str) -> set[str]:
    """A value as it is, in a URL, in JSON, and in base64."""
    forms = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], secret.replace("\n", "\\n")}
    forms.add(base64.b64encode(secret.encode()).decode().rstrip("="))
    return {form for form in forms if len(form) >= LEAST}


def _group(hit: re.Match[str]) -> tuple[int, int]:
    """Which part of a match is the secret."""
    for name in hit.re.groupindex:
        if hit[name] is not None:
            return hit.span(name)
    return hit.span()


def _is_secret(shape: Shape, value: str) -> bool:
    if "EXAMPLE" in value or "[redacted" in value:
        return False
    return shape.key or not _NO_SECRET.match(value)


def _without_private_keys(text: str) -> str:
    if "PRIVATE KEY" not in text:
        return text
    pieces, at = [], 0
    while begin := _BEGIN.search(text, at):
        following = _BEGIN.search(text, begin.end())
        end = _END.search(text, begin.end(), following.start() if following else len(text))
        stop = end.end() if end else _stop(text, begin.end())
        pieces += [text[at : begin.start()], "[redacted:private-key]"]
        at = stop
    return "".join([*pieces, text[at:]])


def _stop(text: str, at: int) -> int:
    hit = _OPEN_KEY.match(text, at)
    return hit.end() if hit else at


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` with each secret replaced by ``[redacted]`` or ``[redacted:RULE]``; linear in its length.

    ``secrets`` are literal values (of environment variables that hold keys); those shorter than LEAST are
    ignored. Text whose secret only shows once :func:`plain` has made it fit to be seen comes back plain.
    """
    forms = {
        form for secret in secrets if len(secret.strip()) >= LEAST for form in _spellings(secret.strip())
    }
    longest_first = sorted(forms, key=lambda one: (-len(one), one))
    text = _redacted(text, longest_first)
    seen = plain(text)
    if seen == text:
        return text
    without = _redacted(seen, longest_first)
    return text if without == seen else without


def _redacted(text: str, forms: Iterable[str]) -> str:
    for form in forms:
        text = text.replace(form, "[redacted]")
    text = _without_private_keys(text)
    for shape in SHAPES:
        if any(word in text for word in shape.words):
            text = _compiled(shape.pattern).sub(lambda hit, shape=shape: _replaced(hit, shape), text)  # type: ignore[misc]
    return text


def _replaced(hit: re.Match[str], shape: Shape) -> str:
    start, end = _group(hit)
    if not _is_secret(shape, hit.string[start:end]):
        return hit[0]
    return f"{hit.string[hit.start() : start]}[redacted:{shape.name}]{hit.string[end : hit.end()]}"


def keys(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, value) of the keys in ``text`` (code, a diff), by shapes that nothing else has; of a private key
    the line that it begins with."""
    for begin in _BEGIN.finditer(text):
        yield "private-key", begin[0]
    for shape in SHAPES:
        if shape.key and any(word in text for word in shape.words):
            for hit in _compiled(shape.pattern).finditer(text):
                value = hit.string[slice(*_group(hit))]
                if _is_secret(shape, value):
                    yield shape.name, value


def redacted_cut(text: str, limit: int, redact: Redact) -> str:
    """The text without secrets, cut to ``limit`` characters as by ``middle_cut``: no part of a secret is left
    at the cut."""
    if len(text) <= limit + 2 * _MARGIN:
        return middle_cut(redact(text), limit)
    half = limit // 2
    head, tail = redact(text[: half + _MARGIN]), redact(text[-half - _MARGIN :])
    return f"{head[:half]}\n[... {len(text) - limit} characters cut ...]\n{tail[-half:]}"


_KEY_LIKE = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\S{12,4096}")
_VARIABLE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$", re.MULTILINE)


def dotenv(text: str) -> dict[str, str]:
    """The variables of an environment file (``NAME=value``, quoted or not), where the value covers a
    secret: what such files set for development (``SECRET_KEY=development``) is an ordinary word, and stays
    one."""
    found = {name: _unquoted(value) for name, value in _VARIABLE.findall(text)}
    return {name: value for name, value in found.items() if is_key_like(value)}


def is_key_like(value: str) -> bool:
    """Whether a value is long and odd enough to be nothing else than the secret, wherever it stands."""
    return _KEY_LIKE.fullmatch(value) is not None


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"'):
        return value[1:].partition(value[0])[0]
    return value.partition(" #")[0].strip()


def redactor(environment: Mapping[str, str], more: Iterable[str] = ()) -> Redact:
    """Return a function that hides the secrets of this environment, ``more`` values, and secrets of known shapes."""
    values = (*secret_values(environment), *more)
    return lambda text: redact(text, values)
