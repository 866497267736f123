"""What an addition to a test file of another language does to what was there, as far as its lines show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tdd_orchestrator.late import Late
from tdd_orchestrator.runners.source_rows import SourceRow
from tdd_orchestrator.runners.sources_tokens import blanked

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class _Reach:
    """Patterns of one line without its strings. ``anywhere``: acts on every test of the file wherever it stands.
    ``hook``: where it stands beside tests that were there. ``takes``: there, too, where its name is one that the file
    used. ``mocks``: a module by its name, which is replaced for the whole file."""

    anywhere: Late = Late(_NEVER)
    hook: Late = Late(_NEVER)
    takes: Late = Late(_NEVER)
    mocks: Late = Late(_NEVER)


_JS_FRAMEWORK = r"(?:assert|expect|test|it|describe|chai|sinon|jest|vi|require\.cache)"
_JS = _Reach(
    anywhere=Late(
        rf"(?:^|[;{{(]|=>)\s*{_JS_FRAMEWORK}(?:\.\w+|\[[^\]]*\])+\s*=(?![=>])"
        rf"|\b(?:Object\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\.\w+)\(\s*{_JS_FRAMEWORK}\b"
        rf"|^\s*(?:const|let|var)\s+\w+\s*=\s*{_JS_FRAMEWORK}\s*;?\s*$"
        rf"|\b(?:mock\.method|spyOn|\.stub|\.replace)\(\s*{_JS_FRAMEWORK}\s*,"
    ),
    hook=Late(r"^\s*(?:\w+\.)?(?:before|after)(?:Each|All)?\("),
    takes=Late(
        r"^\s*(?:(?:async\s+)?function\b\*?\s*|var\s+)?(?P<name>[\w$]+)(?:\.[\w$]+|\[[^\]]*\])*\s*=(?![=>])"
        r"|^\s*(?:async\s+)?function\b\*?\s*(?P<name2>[\w$]+)"
        r"|\bObject\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)\(\s*(?P<name3>[\w$]+)"
    ),
    mocks=Late(r"\b(?:jest|vi)\.(?:do|unstable_)?[mM]ock(?:Module)?\(\s*(['\"`])(?P<name>[^'\"`]+)\1"),
)
_RUBY = _Reach(
    anywhere=Late(
        r"^\s*(?:class|module)\s+(?:::)?(?:Object|BasicObject|Kernel|Module|Class|Minitest|RSpec|Test)\b"
        r"|\bRSpec\.configure\b|\b(?:Object|Kernel|BasicObject|Minitest\S*|RSpec\S*|self\.class)\.(?:prepend|include|class_eval|class_exec|define_method|alias_method|send)\b"
    ),
    hook=Late(r"^\s*(?:before|after|around|setup|teardown)\b\s*(?:\(|do\b|\{|:|$)|^\s*def\s+(?:setup|teardown|run|initialize|(?:before|after)_(?:setup|teardown))\b"),
    takes=Late(
        r"^\s*def\s+(?:self\.)?(?P<name>\w+[?!]?)|^\s*(?:let!?|subject|define_method|alias|alias_method|undef|undef_method)[\s(]+:?(?P<name2>\w+)"
        r"|^\s*(?:class|module)\s+(?P<name3>\w+)\s*(?:<.*)?$|^\s*(?P<name4>[A-Z]\w*)\.(?:prepend|include|extend|class_eval|class_exec|define_method|alias_method|remove_method|undef_method|send|instance_eval)\b"
    ),
)  # fmt: skip
_PHP = _Reach(
    hook=Late(r"\bfunction\s+(?:setUp|tearDown|setUpBeforeClass|tearDownAfterClass|runTest|runBare|run)\b"),
    takes=Late(r"\bfunction\s+(?P<name>\w+)"),
)
_JAVA = _Reach(
    hook=Late(r"@(?:Before|After)(?:Each|All|Class|Test|Method)?\b|@(?:ExtendWith|Rule|ClassRule)\b")
)
_CSHARP = _Reach(
    hook=Late(r"\[(?:(?:OneTime)?(?:SetUp|TearDown)|(?:Test|Class|Assembly)(?:Initialize|Cleanup))\b")
)
_SWIFT = _Reach(
    hook=Late(r"\bfunc\s+(?:setUp|tearDown|setUpWithError|tearDownWithError|invokeTest|record)\b")
)
_LUA = _Reach(
    anywhere=Late(r"^\s*(?:assert(?:\.\w+)+|_G[.\[]\S*)\s*=(?!=)|\brawset\(\s*(?:assert|_G)\b"),
    hook=Late(r"^\s*(?:strict_|lazy_)?(?:before_each|after_each|setup|teardown)\b\s*\("),
    takes=Late(r"^\s*(?P<name>\w+)(?:[.\[][\w.\]]*)?\s*=(?!=)|^\s*function\s+(?P<name2>\w+)"),
)
_BATS = _Reach(
    hook=Late(r"^\s*(?:function\s+)?(?:setup|teardown)(?:_file|_suite)?\s*\(\)"),
    takes=Late(r"^\s*(?:function\s+)?(?P<name>\w+)\s*\(\)|^\s*function\s+(?P<name2>\w+)"),
)
_PERL = _Reach(
    anywhere=Late(r"\*(?:\{|(?:main|Test)::)|^\s*\*\w+\s*="), takes=Late(r"^\s*sub\s+(?P<name>\w+)")
)
_BY_SUFFIX: Mapping[str, _Reach] = {
    suffix: reach
    for suffixes, reach in (
        (".js .jsx .ts .tsx .mjs .cjs .mts .cts", _JS), (".rb", _RUBY), (".php", _PHP), (".java .kt .groovy .scala", _JAVA),
        (".cs", _CSHARP), (".swift", _SWIFT), (".lua", _LUA), (".bats", _BATS), (".t", _PERL),
        (".go", _Reach(hook=Late(r"^func\s+(?:TestMain|init)\("))),
        (".exs .ex", _Reach(hook=Late(r"^\s*setup(?:_all)?\b"))),
    )
    for suffix in suffixes.split()
}  # fmt: skip


def reaches(
    before: str,
    new: Sequence[str],
    owners: Sequence[int | None],
    added: Sequence[int],
    path: str,
    row: SourceRow,
) -> list[str]:
    """One sentence for each new line that acts on tests that were there."""
    rules = _BY_SUFFIX.get(path[path.rfind(".") :])
    if rules is None or not row.test.search(before):
        return []
    used = set(_WORD.findall(blanked(before, row.comment)))
    blank = blanked("\n".join(new), row.comment).split("\n")
    fresh = set(added)
    faults = []
    for number in added:
        line, beside = blank[number], owners[number] not in fresh
        taken = rules.takes.search(line) if beside else None
        name = next((one for one in taken.groupdict().values() if one), "") if taken else ""
        mocked = rules.mocks.search(new[number]) if line.strip() else None
        acts = rules.anywhere.search(line) or (beside and rules.hook.search(line)) or name in used
        if acts or (mocked and mocked["name"] in before):
            faults.append(f"{path}:{number + 1}: `{new[number].strip()[:80]}` acts on tests that were there.")
    return faults
