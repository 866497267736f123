"""Where a client's model runs besides its own vendor: clouds, gateways, this machine; one row each (A12).

A row is on where a switch of it or of the client is set, where the model's name says so, or where the
agent's configuration names it; then its variables are passed on and its files are shown inside the sandbox.
Where it is off, none of them reach an agent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tdd_orchestrator.agents.preset import Preset


@dataclass(frozen=True, slots=True)
class Provider:
    """``switches``: variables that say it is used, whatever the client. ``files`` lie under HOME. ``needs``: of each group one
    variable, or one file (a name that begins with a dot), has to be there."""

    name: str
    switches: tuple[str, ...]
    variables: tuple[str, ...]
    files: tuple[str, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    models: tuple[str, ...] = ()  # beginnings of model names that say it is used


_AWS = (
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_EC2_METADATA_DISABLED", "AWS_REGION_NAME",
)  # fmt: skip
_AZURE = (
    "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_VERSION",
    "AZURE_OPENAI_DEPLOYMENT_NAME", "AZURE_API_KEY",
    "AZURE_API_BASE", "AZURE_API_VERSION", "AZURE_RESOURCE_NAME", "AZURE_TENANT_ID", "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
)  # fmt: skip

PROVIDERS: Mapping[str, Provider] = {
    row.name: row
    for row in (
        Provider(
            "bedrock",
            (),
            (
                "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_SKIP_BEDROCK_AUTH", "ANTHROPIC_BEDROCK_BASE_URL",
                "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION", *_AWS,
            ),
            (".aws/",),
            (
                ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_REGION_NAME", ".aws/config"),
                (
                    "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_ACCESS_KEY_ID",
                    "AWS_WEB_IDENTITY_TOKEN_FILE",
                    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
                    ".aws/credentials", ".aws/sso",
                ),
            ),
            ("bedrock/", "amazon-bedrock/"),
        ),
        Provider(
            "vertex",
            (),
            (
                "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLOUD_ML_REGION",
                "ANTHROPIC_VERTEX_PROJECT_ID",
                "ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_APPLICATION_CREDENTIALS",
                "GOOGLE_CLOUD_PROJECT",
                "GOOGLE_CLOUD_LOCATION", "GCLOUD_PROJECT", "CLOUDSDK_CONFIG", "VERTEXAI_PROJECT",
                "VERTEXAI_LOCATION", "VERTEX_LOCATION",
            ),
            (".config/gcloud/",),
            (
                ("CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION", "VERTEXAI_LOCATION", "VERTEX_LOCATION"),
                ("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "VERTEXAI_PROJECT"),
                ("GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CODE_SKIP_VERTEX_AUTH",
                    ".config/gcloud/application_default_credentials.json"),
            ),
            ("vertex_ai/", "google-vertex/", "google-vertex-anthropic/"),
        ),
        Provider(
            "foundry",
            (),
            (
                "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "ANTHROPIC_FOUNDRY_RESOURCE",
                "ANTHROPIC_FOUNDRY_BASE_URL",
                "ANTHROPIC_FOUNDRY_API_KEY", "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET",
            ),
            (".azure/",),
            (
                ("ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL"),
                ("ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "AZURE_CLIENT_ID", ".azure"),
            ),
        ),
        Provider(
            "azure",
            ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
            _AZURE,
            (".azure/",),
            (("AZURE_OPENAI_API_KEY", "AZURE_API_KEY", "AZURE_CLIENT_ID", ".azure"),),
            ("azure/",),
        ),
        Provider(
            "litellm",
            ("LITELLM_API_KEY", "LITELLM_BASE_URL"),
            ("LITELLM_API_KEY", "LITELLM_BASE_URL", "LITELLM_API_BASE", "LITELLM_MASTER_KEY",
                "LITELLM_PROXY_API_KEY", "LITELLM_PROXY_API_BASE"),
            models=("litellm_proxy/", "litellm/"),
        ),
        Provider(
            "ollama",
            ("OLLAMA_HOST", "OLLAMA_API_BASE"),
            ("OLLAMA_HOST", "OLLAMA_API_BASE", "OLLAMA_API_KEY", "OLLAMA_MODEL", "LMSTUDIO_API_BASE",
                "LM_STUDIO_API_BASE"),
            models=("ollama/", "ollama_chat/", "lm_studio/"),
        ),
    )
}  # fmt: skip

_OFF = frozenset({"", "0", "false", "no"})


@dataclass(frozen=True, slots=True)
class Setup:
    """One provider for one agent: passed variables, which of them are set, files, and groups of which
    none is set. ``switches`` say what turns it on; of each group of ``needs`` one has to be there then."""

    name: str
    on: bool
    set: tuple[str, ...]
    unset: tuple[str, ...]
    files: tuple[str, ...]
    missing: tuple[tuple[str, ...], ...]
    switches: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]


def providers_in_use(
    preset: Preset, environ: Mapping[str, str], *, model: str = "", named: tuple[str, ...] = ()
) -> tuple[Provider, ...]:
    """The providers of this client that are on: by a switch, by the model's name, or by the agent's
    configuration."""
    rows = [PROVIDERS[name] for name in preset.providers]
    return tuple(
        row
        for row in rows
        if row.name in named
        or any(environ.get(switch, "").lower() not in _OFF for switch in _switches(row, preset))
        or model.startswith(row.models or ("\0",))
    )


def _switches(row: Provider, preset: Preset) -> tuple[str, ...]:
    return (*row.switches, *(name for name in preset.switches if name in row.variables))


def with_providers(
    preset: Preset, environ: Mapping[str, str], *, model: str = "", named: tuple[str, ...] = ()
) -> Preset:
    """The row with the variables and files of the providers that are on."""
    used = providers_in_use(preset, environ, model=model, named=named)
    keys = [name for row in used for name in row.variables if name not in preset.keys]
    reads = tuple(dict.fromkeys(file for row in used for file in row.files))
    return replace(preset, keys=(*preset.keys, *dict.fromkeys(keys)), reads=reads)


def setups(
    preset: Preset, environ: Mapping[str, str], *, model: str = "", named: tuple[str, ...] = ()
) -> tuple[Setup, ...]:
    """Every provider that this client can use: first its vendor's own, then the others. No value is read but
    whether it is set."""
    home = Path(environ.get("HOME", "/nonexistent"))
    used = providers_in_use(preset, environ, model=model, named=named)
    own = Provider(
        "its own",
        (),
        preset.keys,
        preset.logins,
        ((*preset.logins_by, *preset.logins),) if preset.logins_by else (),
    )
    return tuple(
        _setup(row, (row is own and not used) or row in used, environ, home, _ways(row, preset))
        for row in (own, *(PROVIDERS[name] for name in preset.providers))
    )


def _ways(row: Provider, preset: Preset) -> tuple[str, ...]:
    """What turns a provider on for this client: its switches; else a model's name or the configuration."""
    if row.name not in preset.providers:
        return ()
    models = (f'a model "{beginning}..."' for beginning in row.models)
    return _switches(row, preset) or (*models, f'providers = ["{row.name}"]')


def _setup(row: Provider, on: bool, environ: Mapping[str, str], home: Path, ways: tuple[str, ...]) -> Setup:
    def there(name: str) -> bool:
        return os.path.exists(home / name) if name.startswith(".") else bool(environ.get(name))

    missing = tuple(group for group in row.needs if not any(map(there, group))) if on else ()
    known = [name for name in row.variables if environ.get(name)]
    return Setup(
        row.name, on, tuple(known), tuple(name for name in row.variables if name not in known),
        tuple(name for name in row.files if there(name)), missing, ways, row.needs,
    )  # fmt: skip
