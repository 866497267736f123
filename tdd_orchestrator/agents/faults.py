"""Faults of providers and clients: one row each, with the sentence for a user and samples of what real
clients print (A10).

A message is recognized by the first row whose pattern fits, else by its HTTP status. Nothing unknown is
called transient.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.agents.agent import Fault


@dataclass(frozen=True, slots=True)
class FaultRow:
    """``samples`` are (client, its own words); a client in brackets was not run here, its words are from its
    source or issues."""

    fault: Fault
    sentence: str
    pattern: re.Pattern[str] | None = None
    samples: tuple[tuple[str, str], ...] = ()


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?i){pattern}")


FAULTS: tuple[FaultRow, ...] = (
    # the most specific first: a quota error comes with status 429, a context error with 400
    FaultRow(
        Fault.CONTEXT_OVERFLOW,
        "the prompt is larger than the model's context",
        _words(
            "prompt is too long|context[_ ]?(?:length|window|limit|size)|maximum context"
            "|ContextOverflow|rejected the prompt as too long"
            r"|input token count[^.\n]{0,40}exceeds"
        ),
        samples=(
            ("claude", "Prompt is too long"),
            (
                "codex",
                (
                    "Codex ran out of room in the model's context window. Start a new thread or clear "
                    "earlier history before retrying."
                ),
            ),
            ("gemini", '{"error":{"message":"prompt is too long: 250000 tokens > 200000 maximum"}}'),
        ),
    ),
    FaultRow(
        Fault.REFUSED,
        "the model refused the request by its policy",
        _words(
            "unable to respond to this request, which appears to violate"
            r"|\bstop_reason\b[^\w]{1,4}refusal|content[_ ]filter|it stopped by refusal"
            "|PROHIBITED_CONTENT"
        ),
        samples=(
            (
                "claude",
                "API Error: Claude Code is unable to respond to this request, which appears to "
                "violate our Usage Policy "
                "(https://www.anthropic.com/legal/aup). Try rephrasing the request in a new "
                "session or change your model.",
            ),
            ("pi", "Provider finish_reason: content_filter"),
            ("acp", "it stopped by refusal"),
        ),
    ),
    FaultRow(
        Fault.OUTPUT_CUT,
        "the model's answer was cut off at its output limit",
        _words(
            "output token maximum|max_output_tokens|MAX_OUTPUT_TOKENS|it stopped by max_tokens|reason: length"
            "|has hit a token limit"
        ),
        samples=(
            (
                "claude",
                "API Error: Claude's response exceeded the 32000 output token maximum. To "
                "configure this behavior, set the "
                "CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
            ),
            ("codex", "Incomplete response returned, reason: max_output_tokens"),
            ("acp", "it stopped by max_tokens"),
        ),
    ),
    FaultRow(
        Fault.USAGE_LIMIT,
        "the account's usage limit is reached",
        _words(
            r"\b(?:usage|session|weekly|daily|monthly|opus|sonnet|\d+[- ]hours?) limit\b"
            "|hit your limit|usage_limit_reached"
            r"|quota will reset|exhausted your (?:daily )?(?:capacity|quota)"
        ),
        samples=(
            ("claude", "API Error: Request rejected (429) · Claude AI usage limit reached|1795454395"),
            ("(claude)", "You've hit your session limit · resets 3pm (Europe/Berlin)"),
            ("(claude)", "5-hour limit reached ∙ resets 3pm"),
            (
                "codex",
                (
                    "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to "
                    "purchase more credits or try again at 5:19 PM."
                ),
            ),
            (
                "(codex)",
                ("You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 5 minutes."),
            ),
            (
                "(gemini)",
                ("You have exhausted your capacity on this model. Your quota will reset after 12h3m4s."),
            ),
        ),
    ),
    FaultRow(
        Fault.QUOTA,
        "the provider's quota is used up",
        _words(
            "insufficient_quota|quota exceeded|exceeded your current quota|billing details"
            "|credit balance|payment required|out of credits"
        ),
        samples=(
            ("codex", "Quota exceeded. Check your plan and billing details."),
            ("pi", "429 You exceeded your current quota, please check your plan and billing details."),
            ("(claude)", "Credit balance is too low"),
        ),
    ),
    FaultRow(
        Fault.MISCONFIGURED,
        "the client's configuration does not name a provider that it can use",
        _words(
            "could not load (?:the )?(?:default )?credentials|could not resolve (?:api key"
            "|authentication method)|unable to locate credentials"
            "|(?:security token included in the request|token"
            r"|sso session)[^.\n]{0,40}(?:is expired|has expired|is invalid)|no (?:provider"
            "|model) (?:is )?(?:configured|selected)"
            "|must specify (?:the )?GEMINI_API_KEY|set an auth method|missing (?:region|project"
            "|deployment)|Please set an? (?:Auth method|api key)"
        ),
        samples=(
            ("claude", "API Error: Could not load credentials from any providers"),
            (
                "claude",
                (
                    "API Error: Could not load the default credentials. Browse to "
                    "https://cloud.google.com/docs/authentication/getting-started for more information."
                ),
            ),
            (
                "gemini",
                (
                    "Please set an Auth method in your settings.json or specify one of the following "
                    "environment variables before running"
                ),
            ),
            (
                "(aws)",
                ('Unable to locate credentials. You can configure credentials by running "aws configure".'),
            ),
        ),
    ),
    FaultRow(
        Fault.AUTH,
        "the provider did not accept the key or the login",
        _words(
            "invalid (?:x-)?api[ -]?key|incorrect api key|unauthorized|unauthenticated"
            "|authentication(?: ?(?:failed|error))|not logged in"
            "|please (?:run /)?log ?in|permission_denied|invalid bearer|no api key|api key (?:not"
            "|is not) (?:set|found)"
        ),
        samples=(
            ("claude", "Invalid API key · Fix external API key"),
            ("codex", "unexpected status 401 Unauthorized: Invalid API key (scripted)"),
            (
                "gemini",
                ('{"error":{"code":401,"message":"Invalid API key (scripted)","status":"UNAUTHENTICATED"}}'),
            ),
        ),
    ),
    FaultRow(
        Fault.DENIED,
        "the provider refused the request as it is: its model, its account or its form",
        _words(
            r"model[^.\n]{0,80}(?:not found|does not exist|not supported|is not available)"
            "|unknown model|invalid model|issue with the selected model|not_found_error|no such model"
            r"|unsupported (?:value|parameter)"
        ),
        samples=(
            ("(openai)", "The model `gpt-9` does not exist or you do not have access to it."),
            (
                "claude-agent-acp",
                "There's an issue with the selected model (claude-sonnet-4-6). It may not exist or you may not have access to it.",
            ),
            ("codex", "Unsupported value: 'reasoning.effort' does not support 'minimal'"),
        ),
    ),
    FaultRow(
        Fault.SESSION_LOST,
        "the client does not know the session of the attempt before",
        _words(
            r"no conversation found with session|no rollout found for thread|no session found matching"
            r"|no (?:previous|saved) sessions? found|no session, task, or name matched"
            r"|invalid session identifier|session not found"
        ),
        samples=(
            ("claude", "No conversation found with session ID: 8017505b-8dd4-454d-afaa-13d35835eb3f"),
            (
                "codex",
                "Error: thread/resume: thread/resume failed: no rollout found for thread id "
                "8017505b-8dd4-454d-afaa-13d35835eb3f (code -32600)",
            ),
            ("pi", "No session found matching '8017505b-8dd4-454d-afaa-13d35835eb3f'"),
            ("gemini", "Error resuming session: No previous sessions found for this project."),
            (
                "(gemini)",
                'Error resuming session: Invalid session identifier "8017505b". Use --list-sessions to see '
                "available sessions.",
            ),
            ("opencode", "Error: Session not found"),
            (
                "qwen",
                "No saved session found with ID 8017505b-8dd4-454d-afaa-13d35835eb3f. Run `qwen --resume` "
                "without an ID to choose from existing sessions.",
            ),
            (
                "copilot",
                "Error: No session, task, or name matched '8017505b-8dd4-454d-afaa-13d35835eb3f'.",
            ),
        ),
    ),
    FaultRow(
        Fault.RATE_LIMITED,
        "the provider's rate limit was reached",
        _words(r"rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED"),
        samples=(
            ("codex", "exceeded retry limit, last status: 429 Too Many Requests, request id: req_9aa5"),
            ("pi", "429 Rate limit exceeded (scripted)"),
        ),
    ),
    FaultRow(
        Fault.OVERLOADED,
        "the provider is overloaded",
        _words(r"overloaded|service unavailable|at capacity|server is busy|experiencing high demand"),
        samples=(
            ("claude", "API Error: 529 Overloaded"),
            ("pi", "529 Overloaded (scripted)"),
            ("codex", "We’re currently experiencing high demand, which may cause temporary errors."),
        ),
    ),
    FaultRow(
        Fault.MAX_TURNS,
        "the agent reached its turn limit",
        _words(
            "max(?:imum)?[ _]?(?:session )?turns|TurnLimited|LimitsExceeded|turn_limit|step limit"
            "|it stopped by max_turn_requests"
        ),
        samples=(("gemini", "Reached max session turns for this session."), ("vibe", "Stopped: turn_limit")),
    ),
    FaultRow(
        Fault.MAX_BUDGET,
        "the agent reached its cost limit",
        _words(r"max_budget|budget (?:exceeded|reached)|cost limit"),
        samples=(("claude", "error_max_budget_usd"),),
    ),
    FaultRow(
        Fault.UNREACHABLE,
        "the provider cannot be reached",
        _words(
            r"connection ?(?:error|failed|refused|reset|aborted)|(?:unable to|cannot|could not) connect"
            r"|fetch failed|ECONN\w+|ENOTFOUND"
            "|connection was closed|error reading a body from connection"
            "|EAI_AGAIN|ETIMEDOUT|UND_ERR"
            "|network (?:error|is unreachable)|timed? ?out|error sending request|other side closed"
            "|stream (?:disconnected|closed|ended)"
            r"|(?:^|\s)terminated\b|name or service not known|getaddrinfo"
        ),
        samples=(
            ("codex", "stream disconnected before completion: stream closed before response.completed"),
            ("qwen", "[API Error: Connection error. (cause: fetch failed)]"),
            ("claude", "API Error: Unable to connect to API (ConnectionRefused)"),
            ("gemini", "terminated"),
        ),
    ),
    FaultRow(
        Fault.API_ERROR,
        "the provider answered with an error of its own",
        _words(
            r"internal (?:server )?error|\bserver_error\b|\bapi_error\b|bad gateway|gateway time-?out"
            "|something went wrong on our (?:end|side)"
        ),
        samples=(("claude", "API Error: 500 Internal server error (scripted)"),),
    ),
    FaultRow(Fault.CONTEXT_FILLED, "the model's context was used up while it worked"),
    FaultRow(Fault.TIMEOUT_WALL, "the agent took longer than its time limit"),
    FaultRow(Fault.TIMEOUT_IDLE, "the agent said nothing for longer than its idle limit"),
    FaultRow(Fault.KILLED, "the agent's process was killed"),
    FaultRow(Fault.NOT_STARTED, "the agent's program does not start"),
    FaultRow(Fault.PROTOCOL, "the agent ended without its completion record"),
    FaultRow(Fault.UNKNOWN, "the agent reported an error"),
)

SENTENCES: dict[Fault, str] = {row.fault: row.sentence for row in FAULTS}

_STATUS: dict[int, Fault] = {
    400: Fault.DENIED,
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.DENIED,
    408: Fault.UNREACHABLE,
    413: Fault.CONTEXT_OVERFLOW,
    429: Fault.RATE_LIMITED,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}
_CODE = re.compile(
    r"(?i)(?:\bstatus(?: code)?[\"':= ]+|\bHTTP[ /]|\bcode[\"':= ]+|\berror[:( ]+"
    r"|^\[?(?:API Error: )?|\()([45]\d\d)\b"
)


def fault_of(words: str, status: int | None = None) -> Fault:
    """The fault that an error message (and an HTTP status, where one is known) speaks of; never NONE."""
    words = " ".join(words[:20_000].split())
    hit = _CODE.search(words)
    code = status or (int(hit[1]) if hit else None)
    for row in FAULTS:
        if row.pattern is not None and row.pattern.search(words):
            return row.fault
    if code in _STATUS:
        return _STATUS[code]
    if code and 500 <= code < 600:
        return Fault.OVERLOADED
    return Fault.UNKNOWN
