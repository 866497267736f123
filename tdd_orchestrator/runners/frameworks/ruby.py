"""RSpec, Minitest, test-unit."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

_RUBY_SUPPORT = ("**/{spec,test}/{support,fixtures,factories}/**", "**/spec_helper.rb", "**/test_helper.rb")

_RUBY_CONFIG = (".rspec", ".rspec-local", "**/spec_helper.rb", "**/rails_helper.rb", "**/test_helper.rb",
    "Rakefile",
                "**/rakelib/**", "**/minitest/*_plugin.rb", ".simplecov", ".ruby-version",
                "bin/{rails,rake,rspec}")  # fmt: skip

_SHARED_WORDS = (r"(?:^|[\s/;&|])rake\s+test\b", r"ruby\s+(?:-\S+\s+)*\S*test\S*\.rb")
"""Commands of Minitest and of test-unit alike: the files say which one it is."""

RSPEC = Framework(
    name="rspec",
    language="ruby",
    signs=Signs(
        files=("spec/**/*_spec.rb",),
        manifests=((".rspec", ""), ("Gemfile", r"['\"]rspec(?:-\w+)?['\"]"),
                   ("*.gemspec", r"['\"]rspec['\"]")),
        words=(r"(?:^|[\s/;&|])rspec(?=\s|$)",),
    ),
    command=("bundle", "exec", "rspec"),
    test_files=("**/*_spec.rb", "spec/**/*.rb"),
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("json", argv=("--format", "progress", "--format", "json", "--out", "{report}"),
        file="report.json",
            unless=("--out", "-o"),
        env=(("SPEC_OPTS", "{before} --no-fail-fast --format progress --format json --out {report}"),),
        env_alone=True),
    select=Select(files=True, flag=("-e", "{names}"), each=True, regex=False),


    extra_argv=("--no-fail-fast",),
    runner_modules=("rspec", "rspec/autorun", "rspec/core", "rspec/expectations", "rspec/matchers",
        "rspec/mocks", "rspec/support"),
    stops=("--fail-fast",),
    samples=(Sample((("spec/a_spec.rb", ""), (".rspec", ""))), Sample((("spec/a_spec.rb", ""),), "rake spec"),
        Sample((), "bundle exec rspec spec/a_spec.rb")),
    is_test=("spec/a_spec.rb", "spec/models/b_spec.rb"),
    not_test=("lib/a.rb",),
    weight=2,
)  # fmt: skip

MINITEST = Framework(
    name="minitest",
    language="ruby",
    signs=Signs(
        files=("test/**/*_test.rb", "test/**/test_*.rb"),
        manifests=(("Gemfile", r"['\"]minitest['\"]|['\"]rails['\"]"),
                   ("{test,tests,spec}/**/*.rb", r"minitest|Minitest|ActiveSupport::TestCase")),
        words=(*_SHARED_WORDS, r"(?:^|[\s/;&|])rails\s+test\b", r"(?:^|[\s/;&|])minitest(?=\s|$)"),
    ),
    command=("bundle", "exec", "rake", "test"),
    test_files=("**/*_test.rb", "**/test_*.rb", "**/*_spec.rb", "{test,tests,spec}/**/*.rb"),
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("text", env=(("TESTOPTS", "--verbose"),)),


    runner_modules=("minitest", "minitest/assertions", "minitest/autorun", "minitest/mock", "minitest/spec",
        "minitest/test",
                    "minitest/unit", "rake", "rake/rake_test_loader", "rake/testtask"),
    samples=(Sample((("test/a_test.rb", 'require "minitest/autorun"\n'),)), Sample((), "bin/rails test"),
        Sample((("test/test_a.rb", 'require "minitest/autorun"\n'),), "rake test"), Sample((), "rake test"),
        Sample((("spec/a_spec.rb", ""), ("spec/helper.rb", "require 'minitest/autorun'\n"))),
        Sample((("spec/a_spec.rb", ""), ("spec/helper.rb", "require 'minitest/autorun'\n")), "rake spec")),
    is_test=("test/a_test.rb", "test/test_a.rb", "spec/a_spec.rb", "spec/plugin/spec_helper.rb"),
    not_test=("lib/a.rb",),
    weight=2,
)  # fmt: skip

TEST_UNIT = Framework(
    name="test-unit",
    language="ruby",
    signs=Signs(manifests=(("Gemfile", r"['\"]test-unit['\"]"),
            ("{test,tests}/**/*.rb", r"test/unit|Test::Unit")),
                words=(*_SHARED_WORDS, r"(?:^|[\s/;&|])test-unit(?=\s|$)")),
    command=("bundle", "exec", "rake", "test"),
    test_files=MINITEST.test_files,
    support_files=_RUBY_SUPPORT,
    config_files=_RUBY_CONFIG,
    ask=Ask("text", env=(("TESTOPTS", "--verbose=verbose"),)),


    runner_modules=("test/unit", "rake", "rake/rake_test_loader", "rake/testtask"),
    samples=(Sample((("test/test_a.rb", 'require "test/unit"\n'),)),
        Sample((("test/test_a.rb", 'require "test/unit"\n'),), "ruby -Ilib run-test.rb")),
    is_test=("test/test_a.rb",),
    not_test=("lib/a.rb",),
    weight=3,
)  # fmt: skip

ROWS = (
    RSPEC, MINITEST, TEST_UNIT,
)  # fmt: skip
