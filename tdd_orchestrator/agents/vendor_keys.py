"""Variables with the keys of model vendors, which several agents read."""

from __future__ import annotations

OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE")
ANTHROPIC = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL")
MANY = (
    *OPENAI,
    *ANTHROPIC,
    *GOOGLE,
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
)
MANY_KEYS = tuple(name for name in MANY if name.endswith("_KEY") or name.endswith("_TOKEN"))
