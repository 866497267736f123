"""Sandboxes for agents and proofs, and the trees that they work in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tdd_orchestrator.agents import sandbox
from tdd_orchestrator.agents.command import Wrap
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.config.load import words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.workspace.inplace import InPlaceTree
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import Tree


def trees(
    opened: OpenRepository, shared: Shared, objects_dir: Path, say: Callable[[str], None]
) -> tuple[Tree, Tree]:
    """(where proof is run, where agents work)."""
    if opened.config.workspace.mode == "inplace":
        shadow = opened.places.root / "inplace.git"
        tree = InPlaceTree(opened.git, opened.found.work_tree, objects_dir, shadow, say)
        return tree, tree
    return shared.tree(opened.places.proof, objects_dir), shared.tree(opened.places.agent, objects_dir)


def agent_wrap(config: Config, opened: OpenRepository) -> Callable[[Preset], Wrap | None] | None:
    kind = sandbox.choose(config.workspace.sandbox)
    if kind == "none":
        return None
    readable, network = _seen(config, opened), config.workspace.network
    passed = tuple(name for agent in config.agents.named.values() for name in agent.pass_env)
    return lambda preset: sandbox.agent_wrap(
        preset, kind=kind, network=network, readable=readable, passed=passed
    )


def proof_wrap(
    config: Config, opened: OpenRepository, tree: Tree, logs: Path | None = None
) -> Callable[[list[str]], list[str]] | None:
    """Return what puts a test command into a sandbox, where it may write ``logs`` (None: the repository's)."""
    kind = sandbox.choose(config.workspace.sandbox)
    if kind == "none":
        return None
    readable, network = _seen(config, opened), config.workspace.test_network
    writable, passed = (logs or opened.places.root / "logs",), tuple(config.test.pass_env)
    return lambda argv: sandbox.wrap_proof(
        argv, tree.path, kind=kind, network=network, writable=writable, readable=readable, passed=passed
    )


def _seen(config: Config, opened: OpenRepository) -> tuple[Path, ...]:
    """Return what a sandbox must show although it may lie in a temporary folder: the checkout, objects,
    links, named programs."""
    root = opened.found.work_tree
    named = [words(agent.command) for agent in config.agents.named.values()]
    programs = [Path(word) for argv in named for word in argv if os.path.isabs(word) and Path(word).exists()]
    links = [root / name for name in config.workspace.link]
    return (root, opened.found.common_dir / "objects", *links, *programs)
