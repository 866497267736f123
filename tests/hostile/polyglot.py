"""Agents that want to look successful, in other languages than Python (T1-T16), and honest ones beside them."""

from __future__ import annotations

from .polyglot_compiled import HONEST_CARGO, HONEST_GO, OF_CARGO, OF_EXUNIT, OF_GO
from .polyglot_js import OF_JEST, OF_MOCHA, OF_NODE, OF_NPM, OF_VITEST, honest_javascript
from .polyglot_ruby import OF_MINITEST, OF_RSPEC, honest_ruby
from .polyglot_scripts import HONEST_BATS, HONEST_PHP, HONEST_PROVE, OF_BATS, OF_BUSTED, OF_PHP, OF_PROVE
from .tongues import (
    BATS,
    BUSTED,
    CARGO,
    EXUNIT,
    GO,
    JEST,
    MINITEST,
    MOCHA,
    NODE,
    NPM,
    PHP,
    PROVE,
    RSPEC,
    VITEST,
)

CHEATS = (
    (NODE, OF_NODE), (NPM, OF_NPM), (MOCHA, OF_MOCHA), (JEST, OF_JEST), (VITEST, OF_VITEST), (GO, OF_GO),
    (MINITEST, OF_MINITEST), (RSPEC, OF_RSPEC), (BATS, OF_BATS), (PROVE, OF_PROVE), (PHP, OF_PHP), (CARGO, OF_CARGO),
    (BUSTED, OF_BUSTED), (EXUNIT, OF_EXUNIT),
)  # fmt: skip
HONEST = (
    (NODE, honest_javascript(NODE)), (NPM, honest_javascript(NPM)),
    # mocha's text is read as a run cut short where the code itself prints "1 failing"
    (MOCHA, [row for row in honest_javascript(MOCHA) if row.name != "prints failures"]), (JEST, honest_javascript(JEST)), (VITEST, honest_javascript(VITEST)),
    (GO, HONEST_GO), (MINITEST, honest_ruby(MINITEST)), (RSPEC, honest_ruby(RSPEC)), (BATS, HONEST_BATS), (PROVE, HONEST_PROVE), (PHP, HONEST_PHP), (CARGO, HONEST_CARGO),
)  # fmt: skip
