"""Playwright Test, Cypress, Cucumber-JS."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.runners.framework import Ask, Sample, Select, Signs
from tdd_orchestrator.runners.frameworks.javascript import (
    COMMON,
    EXT,
    FILES,
    ROW,
    depends,
    sample,
)

PLAYWRIGHT = replace(
    ROW,
    name="playwright",
    signs=Signs(
        files=("playwright.config.*",), manifests=depends("@playwright/test"), words=(r"playwright\s+test\b",)
    ),
    command=("npx", "playwright", "test"),
    test_files=(*FILES, f"e2e/**/*.{EXT}"),
    config_files=("playwright.config.*", *COMMON),
    ask=Ask("json", argv=("--reporter=list,json",), file="report.json", unless=("--reporter",),
            env=(("PLAYWRIGHT_JSON_OUTPUT_NAME", "{report}"), ("PLAYWRIGHT_JSON_OUTPUT_FILE", "{report}"),
                 ("PLAYWRIGHT_HTML_OPEN", "never"))),
    select=Select(files=True, flag=("-g", "{names}"), leaf=r"(?:.*[>›] )?(.*)$"),
    extra_argv=("--max-failures=0",),
    runner_modules=("@playwright", "playwright"),
    samples=(*sample("@playwright/test", "e2e/a.spec.ts", "playwright test"),
             Sample((("playwright.config.ts", ""), ("e2e/a.spec.ts", "")))),
    is_test=("e2e/a.spec.ts", "e2e/a.ts"),
    not_test=("src/a.ts",),
    weight=1,
)  # fmt: skip

CYPRESS = replace(
    ROW,
    name="cypress",
    signs=Signs(
        files=("cypress.config.*", "cypress.json"), manifests=depends("cypress"), words=(r"cypress\s+run\b",)
    ),
    command=("npx", "cypress", "run"),
    test_files=(f"cypress/e2e/**/*.{EXT}", f"cypress/integration/**/*.{EXT}", f"**/*.cy.{EXT}"),
    support_files=("cypress/support/**", "cypress/fixtures/**"),
    config_files=("cypress.config.*", "cypress.json", "cypress.env.json", "cypress/support/**",
        "cypress/plugins/**",
                  *COMMON),
    ask=Ask("junit", argv=("--reporter", "junit", "--reporter-options", "mochaFile={report}/r-[hash].xml"),
            file="reports/", unless=("--reporter", "-r")),
    runner_modules=("cypress",),
    samples=(*sample("cypress", "cypress/e2e/a.cy.ts", "cypress run"), Sample((("cypress.config.ts", ""),))),
    is_test=("cypress/e2e/a.cy.ts", "src/Button.cy.tsx"),
    not_test=("src/Button.tsx",),
    weight=1,
)  # fmt: skip

CUCUMBER = replace(
    ROW,
    name="cucumber-js",
    signs=Signs(
        files=("cucumber.js", "cucumber.json", "cucumber.mjs", "cucumber.yaml"),
        manifests=depends("@cucumber/cucumber"),
        words=(r"cucumber-js(?=\s|$)",),
    ),
    command=("npx", "cucumber-js"),
    test_files=("**/*.feature", f"features/**/*.{EXT}"),
    support_files=("features/support/**",),
    config_files=("cucumber.*", "features/support/**", *COMMON),
    ask=Ask("json", argv=("--format", "json:{report}"), file="report.json"),
    select=Select(files=True, flag=("--name", "{names}"), each=True),
    read="cucumber",
    runner_modules=("@cucumber",),
    samples=sample("@cucumber/cucumber", "features/a.feature", "cucumber-js"),
    is_test=("features/a.feature", "features/steps/a.js"),
    not_test=("src/a.js",),
    weight=2,
)  # fmt: skip


ROWS = (PLAYWRIGHT, CYPRESS, CUCUMBER)
