"""Names that no project defines: the languages' own libraries and types, and well-known packages."""

from __future__ import annotations

import re
import sys


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
javascript console process global globalThis window document jest vi expect describe it test
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
