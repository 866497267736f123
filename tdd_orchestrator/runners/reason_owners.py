"""A row of RED's reasons, and its condition: whose a missing name is, by tables of names that are not the project's."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.runners.reason_frames import Origin
from tdd_orchestrator.text import Entry, LazyRegex, parse_entries


def _by_language(table: str) -> dict[str, frozenset[str]]:
    """Return the names of each language, which stands at the margin; its names go on in indented lines."""
    rows = re.split(r"\n(?=\S)", table.strip())
    return {language: frozenset(names) for language, *names in map(str.split, rows)}


STANDARD: dict[str, frozenset[str]] = {"python": frozenset(sys.stdlib_module_names)} | _by_language("""
go         bufio bytes context crypto encoding errors fmt hash html http httptest io json log maps math net
           os path rand reflect regexp runtime slices sort sql strconv strings sync syscall template testing
           time unicode unsafe url utf8 xml atomic filepath exec ioutil
rust       std core alloc proc_macro test
java       java javax jdk sun com.sun
javascript assert buffer child_process crypto dns events fs http https net node os path process stream test
           timers tls tty url util v8 vm worker_threads zlib async_hooks cluster console constants
           diagnostics_channel dgram domain http2 inspector module perf_hooks punycode querystring readline
           repl string_decoder sys trace_events wasi
ruby       json set time date yaml csv erb fileutils forwardable logger net open3 optparse ostruct pathname
           securerandom socket stringio tempfile timeout uri bigdecimal benchmark digest English observer
           singleton
php        PHPUnit Mockery Psr Symfony Illuminate Composer
c          std boost testing gtest gmock Catch doctest
perl       strict warnings utf8 feature parent base constant lib overload bigint Carp Cwd Encode Errno
           Exporter Fcntl FindBin POSIX Socket Storable Data:: Digest:: File:: Getopt:: IO:: IPC:: List::
           Math:: MIME:: Scalar:: Sys:: Term:: Test:: Text:: Tie:: Time:: Unicode::
lua        string table math io os debug coroutine utf8 package bit32
elixir     Kernel Enum String List Map MapSet Keyword Tuple Integer Float Atom Regex Stream Range Date Time
           DateTime NaiveDateTime Calendar File Path IO System Process Task Agent GenServer Supervisor
           Registry Logger ExUnit Mix Application Code Module Macro Access Bitwise Base URI Version Node Port
           Function Exception StringIO
shell      awk sed grep find sort cut tr head tail wc cat xargs tee printf test expr seq date mktemp bc
csharp     System Microsoft Mono
swift      Foundation Swift Testing XCTest Dispatch Glibc Darwin FoundationNetworking Synchronization
           RegexBuilder Date URL Data UUID Calendar Locale TimeZone DateFormatter JSONDecoder JSONEncoder
           FileManager ProcessInfo Decimal NSError NSString NSRegularExpression URLSession URLRequest Bundle
           Process Timer Thread DispatchQueue exit sqrt pow UIKit AppKit SwiftUI Combine CoreData UIView
           UIViewController UIColor View
""")

FOREIGN: dict[str, frozenset[str]] = _by_language("""
python     aiohttp attr attrs anthropic bs4 boto3 botocore celery click coverage cryptography dateutil django
           dotenv factory faker fastapi flask freezegun fsspec google grpc hypothesis httpx jinja2 jsonschema
           jwt keras kivy loguru lxml marshmallow matplotlib mock mongoengine mypy networkx nose numpy openai
           openpyxl pandas paramiko parameterized peewee PIL playwright polars psutil psycopg psycopg2
           pydantic pymongo pymysql pyspark pytest pytest_mock redis regex requests responses respx rich
           scipy seaborn selenium setuptools simplejson six sklearn sqlalchemy starlette structlog sympy
           tenacity tensorflow toml torch tornado tqdm trio twisted typer ujson urllib3 uvicorn werkzeug yaml
           zmq assertpy sure expects pyhamcrest hamcrest moto time_machine fakeredis requests_mock
           aioresponses mongomock pyfakefs vcr betamax testcontainers syrupy dirty_equals deepdiff
           model_bakery mimesis polyfactory sqlmodel pytest_asyncio pytest_django inline_snapshot icontract
rust       anyhow async_std chrono clap criterion futures itertools lazy_static log mockall once_cell
           proptest quickcheck rand rayon regex reqwest rstest serde serde_json tempfile thiserror tokio
           tracing assert_cmd predicates
java       org.junit org.mockito org.assertj org.hamcrest org.springframework lombok com.google
ruby       rspec RSpec minitest Minitest factory_bot FactoryBot faker Faker capybara Capybara webmock WebMock
           vcr VCR rails Rails active_record ActiveRecord active_support ActiveSupport sinatra Sinatra rack
           Rack nokogiri Nokogiri mocha Mocha timecop Timecop shoulda Test faraday Faraday httparty HTTParty
           sidekiq Sidekiq redis Redis pg PG mysql2 Mysql2 sqlite3 SQLite3 sequel Sequel rest-client
           RestClient pry byebug thor Thor devise Devise database_cleaner DatabaseCleaner simplecov SimpleCov
           rubocop RuboCop zeitwerk Zeitwerk
perl       Moose Moo Mouse Mojo Mojolicious Dancer Dancer2 Catalyst Plack DBI DBD:: DBIx:: LWP HTTP:: JSON
           JSON:: YAML YAML:: XML:: DateTime Try::Tiny Path::Tiny Path::Class Type::Tiny Types:: MooseX::
           MooX:: Class::Accessor Role::Tiny Params::Validate Template Capture::Tiny Readonly Modern::Perl
           Log::Log4perl Log::Any Net:: Devel:: Module::
lua        socket cjson dkjson lfs lpeg penlight pl luassert busted luaunit ssl mime inspect lyaml luasql
           resty ngx posix cqueues argparse say term system luacov lrandom copas zlib
elixir     Jason Poison Ecto Phoenix Plug Mox HTTPoison Tesla Finch Req Oban Bamboo Faker ExMachina Timex
           Decimal Absinthe Broadway GenStage Nx Mint Bypass StreamData Meck Mock Credo Swoosh Cowboy
           NimbleCSV NimbleOptions Floki
shell      jq yq curl wget git docker kubectl aws gcloud python python3 node npm ruby perl make gcc go cargo
           java psql mysql sqlite3 redis-cli openssl ssh rsync shellcheck parallel expect tmux fzf rg fd
           assert_output assert_success assert_failure assert_line assert_equal assert refute
csharp     NUnit Xunit Moq FluentAssertions Newtonsoft Shouldly NSubstitute AutoFixture Bogus Serilog Dapper
           MediatR Polly AutoMapper RichardSzalay Castle FakeItEasy
swift      Alamofire Vapor Fluent NIO NIOCore Logging Metrics Crypto Collections Algorithms Numerics
           AsyncAlgorithms ArgumentParser SwiftSyntax Yams RxSwift Kingfisher SnapKit Quick Nimble
           SnapshotTesting CustomDump ComposableArchitecture Dependencies GRDB Realm RealmSwift SQLite Moya
           Swinject Hummingbird Parsing
c          gtest gmock catch2 doctest boost check cmocka CUnit fmt spdlog benchmark nlohmann Eigen zlib curl
           openssl sqlite3 png jpeglib expat ncurses readline pthread unity cmock
php        GuzzleHttp Monolog Doctrine Carbon Ramsey League Twig Laravel Faker Prophecy Hamcrest Nette
           Laminas Brick Webmozart Predis Pest Dotenv Slim Cake Yii Zend Google Aws Stripe
""")

OWN_TYPE_EXCLUDED: dict[str, frozenset[str]] = _by_language("""
python     NoneType int float str bytes bool list dict tuple set frozenset complex object type function
           method module generator coroutine range slice bytearray memoryview datetime date time timedelta
           Decimal Fraction Path PosixPath Mock MagicMock AsyncMock ndarray DataFrame Series Response
           builtin_function_or_method property map filter zip enumerate super open print len sorted sum min
           max isinstance iter next
javascript console process global globalThis window document jest vi expect describe it test number string
           boolean bigint symbol undefined null void never unknown object Promise Array ReadonlyArray Map Set
           Record Date Error RegExp Function
go         int int64 float64 string bool byte rune error any uint uint8 testing.T *testing.T
rust       i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option Result
           Box Rc Arc HashMap HashSet BTreeMap BTreeSet VecDeque Range integer float
java       String int long double float boolean char byte Integer Long Double Boolean Object List Map Set
           Collection Optional Stream Assertions Assert ArrayList HashMap
ruby       nil NilClass true TrueClass false FalseClass Integer Float String Symbol Array Hash Range Proc
           Module Class Method Struct Time Date IO File
php        null string int array bool float
c          int char bool float double long void size_t auto
csharp     string int long double float bool char object decimal String Int32 List Dictionary IEnumerable
           Console
""")


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """``owner``: whose the captured name must be for ``reason`` to apply (see ``reason_owners``).

    ``build``: only for errors that keep a file or suite from running. ``sample``: a text that this row
    must decide.
    """

    language: str
    pattern: LazyRegex
    reason: Reason
    sample: str
    owner: str = ""
    build: bool = False


def reason_rows(table: str) -> tuple[ReasonRow, ...]:
    """Return a table's rows. Their heads have language, reason, owner if any, and ``build`` if it is so."""
    return tuple(_row(entry) for entry in parse_entries(table))


def _row(entry: Entry) -> ReasonRow:
    language, reason, *more = entry.head
    build = more[-1:] == ["build"]
    owner = "".join(more[:-1] if build else more)
    pattern = LazyRegex(entry.get("pattern"), re.MULTILINE)
    return ReasonRow(language, pattern, Reason(reason), entry.get("sample"), owner, build)


_SEPARATORS = "./:\\"


@dataclass(frozen=True, slots=True)
class Context:
    """The facts for judging a name: about the project, and the failure's text."""

    language: str
    project: frozenset[str]
    declared: frozenset[str]
    text: str  # the whole message
    raised: Origin
    open: bool = True  # a missing top-level module may be the project's

    def owns(self, name: str) -> bool:
        """Whether the name is the project's, or begins with one of its names and a separator."""
        return root_of(name) in self.project or any(_within(name, own) for own in self.project)

    @property
    def namespaced(self) -> bool:
        """Whether the project's namespaces are known."""
        return any(own.endswith("\\") for own in self.project)

    def belongs_elsewhere(self, name: str) -> bool:
        """Whether a dependency or the language's own library has the name."""
        root = root_of(name)
        known = STANDARD.get(self.language, frozenset()) | FOREIGN.get(self.language, frozenset())
        return (
            root in self.declared
            or folded(root) in {folded(one) for one in self.declared}
            or root in known
            or any(_within(_spelled(name, one), one) for one in known)
        )


def root_of(name: str) -> str:
    return re.split(r"[./:\\]+", name.lstrip("&*./:\\"))[0]


def _within(name: str, own: str) -> bool:
    rest = name.removeprefix(own)
    return rest != name and (not rest or own[-1:] in _SEPARATORS or rest[0] in _SEPARATORS)


def _spelled(name: str, like: str) -> str:
    """Return a path spelled as a module name."""
    return name.replace("/", "::") if "::" in like else name


def folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _plain(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    return row.reason


def _module(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a module, package, crate or namespace: the project's, unless another owner is known."""
    name = next((group for group in found.groups() if group), "")
    if context.owns(name):
        return row.reason
    return Reason.THIRD_PARTY if context.belongs_elsewhere(name) else row.reason


def _import(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an import: the project's package, or a new top-level module if the project has such."""
    name = next((group for group in found.groups() if group), "")
    if context.owns(name):
        return row.reason
    return (
        _module(row, found, context)
        if context.open and not _raised_elsewhere(context)
        else Reason.THIRD_PARTY
    )


def _raised_elsewhere(context: Context) -> bool:
    """Whether the failing import stands in unchanged project code."""
    return context.raised is Origin.PROJECT


def _strict_module(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an existing module or a bare package name: the project's only if known to be."""
    name = next((group for group in found.groups() if group), "")
    return row.reason if context.owns(name) else Reason.THIRD_PARTY


def _namespaced(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a class: with known namespaces, it is the project's only in one of them."""
    name = next((group for group in found.groups() if group), "").lstrip("\\")
    if "\\" in name and context.namespaced and not context.owns(name):
        return Reason.THIRD_PARTY
    return _module(row, found, context)


def _header(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a header: in angle brackets with a folder, it is the project's only if the folder is."""
    name = next((group for group in found.groups() if group), "")
    if context.raised is Origin.FOREIGN:
        return Reason.THIRD_PARTY
    angled = re.search(rf"#\s*include\s*<{re.escape(name)}>", context.text)
    return _strict_module(row, found, context) if angled and "/" in name else _module(row, found, context)


def _script(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a sourced file or a command: not the project's if outside the tree, or a library's."""
    name = next((group for group in found.groups() if group), "")
    library = re.search(r"(?:^|/)(?:bats-\w+|node_modules|shunit2|bash_unit)(?:/|$)", name)
    if "/" not in name:
        return _module(row, found, context)
    return Reason.THIRD_PARTY if library or name.startswith("/") else row.reason


def _within_namespace(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a missing member of a namespace: the project's, unless the namespace is a library's."""
    name = found[2]
    return row.reason if context.owns(name) or not context.belongs_elsewhere(name) else Reason.THIRD_PARTY


def _path(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a module's path: relative ones and aliases are the project's, bare names are packages."""
    name = next((group for group in found.groups() if group), "")
    if "node_modules" in name:
        return Reason.THIRD_PARTY
    relative = name.startswith(
        (".", "/", "file:", "~/", "@/", "#", "src/", "lib/", "test/", "tests/", "spec/")
    )
    return row.reason if relative or context.owns(name) else Reason.THIRD_PARTY


_NAMED = re.compile(r"[A-Za-z_$*]")  # a type such as `(n: number) => number` has no name


def _type(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a missing member of a type: the project's, unless the type is built in or has no name; raised in
    the test."""
    excluded = OWN_TYPE_EXCLUDED.get(context.language, frozenset())
    types = [
        re.split(r"[<\[{( ]", group.lstrip("&*").removeprefix("mut "))[0] for group in found.groups() if group
    ]
    named = [one for one in types if one not in excluded and _NAMED.match(one)]
    own = [one for one in named if not context.belongs_elsewhere(one)]
    if not own or context.raised is Origin.PROJECT:
        return Reason.EXCEPTION
    return row.reason


def _call(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge a call that does not match what the project defines yet, made by the test itself."""
    name = next((group for group in found.groups() if group), "")
    if name in OWN_TYPE_EXCLUDED.get(context.language, frozenset()) or context.belongs_elsewhere(name):
        return Reason.EXCEPTION
    return (
        Reason.EXCEPTION
        if context.raised is Origin.PROJECT and context.language in ("javascript", "lua")
        else row.reason
    )


def _stub(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an unimplemented body: accepted in the project, not in the test."""
    return Reason.EXCEPTION if context.raised is Origin.TEST and context.language == "python" else row.reason


def _asserted(row: ReasonRow, found: re.Match[str], context: Context) -> Reason:
    """Judge an assertion: the test's or its library's; in project code it is an exception."""
    return Reason.EXCEPTION if context.raised is Origin.PROJECT else row.reason


OWNERS: dict[str, Callable[[ReasonRow, re.Match[str], Context], Reason]] = {
    "": _plain, "module": _module, "import": _import, "strict": _strict_module, "path": _path,
    "namespaced": _namespaced, "header": _header, "script": _script,
    "within": _within_namespace, "type": _type, "call": _call,
    "stub": _stub, "asserted": _asserted,
    "types": _plain,  # a mismatch of types: the project's where the test uses the project up to there
}  # fmt: skip
