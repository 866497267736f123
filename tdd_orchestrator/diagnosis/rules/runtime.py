"""Rules for exceptions of running code, from specific ones to the last resort."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule, Zone
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_row = partial(
    Rule,
    routing=RoutingType.RUNTIME,
    error=ErrorType.LOGIC,
    category=Category.LOGIC,
    severity=Severity.MEDIUM,
    weight=50,
)
_T = 'Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n'

# fmt: off
RULES = (
    _row(
        "null-dereference",
        words=("of undefined", "of null", "'NoneType' object", "is undefined", "is null", "nil:NilClass",
            "for nil", "nil pointer dereference", "NullPointerException", "null reference",
            "NullReferenceException", "on null", "undefined value", "nil value", "is not defined",
            "None` value", "nil object", "on an unblessed"),
        pattern=(
            r"(?:of|properties of) (?:undefined|null)\b|'NoneType' object|(?:\w|\)) is (?:undefined|null)\b"
            r"|(?:nil:NilClass|for nil\b)|nil pointer dereference|NullPointerException|NullReference"
            r"|on null\b|undefined value|a nil value|is not defined|`None` value|for nil"
        ),
        weight=59,
        samples=(
            _T + "AttributeError: 'NoneType' object has no attribute 'name'",
            "Cannot read property 'id' of undefined",
            (
                "TypeError: Cannot read properties of null (reading 'host')\n"
                "    at Object.<anonymous> (/repo/src/app.js:2:20)"
            ),
            (
                "panic: runtime error: invalid memory address or nil pointer dereference\n"
                "[signal SIGSEGV]\n\ngoroutine 1 [running]:\nmain.main()\n\t/repo/main.go:5 +0x31\n"
                "exit status 2"
            ),
        ),
    ),
    _row(
        "type-error",
        words=("TypeError", "ArgumentError", "ClassCastException", "ArgumentCountError",
            "no implicit conversion", "ArgumentTypeError", "interface conversion", "InvalidCastException",
            "wrong argument type"),
        pattern=(
            r"^(?:Uncaught )?(?:\w+\.)*(?:TypeError|ArgumentError|ClassCastException|ArgumentCountError"
            r"|InvalidCastException|java\.lang\.ClassCast\w+)\b|no implicit conversion|interface conversion"
            "|panic: interface"
        ),
        error=ErrorType.LOGIC,
        weight=48,
        samples=("TypeError: total is not a function\n    at run (/repo/src/app.js:2:20)",),
        zone=Zone.THROWN,
    ),
    _row(
        "python-type-error",
        words=("TypeError: ",),
        pattern=(
            "^TypeError: (?:unsupported operand|can only concatenate|.* takes .*positional argument"
            r"|.* missing \d+ required|.* got an unexpected keyword|'[^']+' object (?:is not|cannot be"
            "|does not support)|.*must be .*not |.*expected .*got|'[<>=]+' not supported|.* argument"
            r"|bad operand|object .*can't be used|int\(\)|float\(\)|cannot convert|unhashable|can't"
            "|string indices|list indices)"
        ),
        error=ErrorType.TYPE,
        weight=49,
        zone=Zone.THROWN,
        samples=(_T + "TypeError: unsupported operand type(s) for +: 'int' and 'str'",),
    ),
    _row(
        "missing-key",
        words=("KeyError: ",),
        pattern=r"^KeyError: (?!'[A-Z][A-Z0-9_]{3,}'$)",
        weight=98,  # a key is data, whatever its words
        zone=Zone.THROWN,
        samples=(_T + "KeyError: 'connection refused'",),
    ),
    _row(
        "file-missing",
        words=("FileNotFoundError", "ENOENT", "NoSuchFileException", "FileNotFoundException",
            "No such file or directory", "Datei oder Verzeichnis nicht gefunden", "No existe el fichero",
            "No existe el archivo", "IsADirectoryError", "NotADirectoryError", "EISDIR", "ENOTDIR",
            "FileExistsError", "EEXIST", "Errno::ENOENT", "no such file or directory", "DirectoryNotEmpty",
            "ENOTEMPTY"),
        category=Category.STATE,
        weight=57,
        pattern=(
            "FileNotFound|ENOENT|NoSuchFileException|[Nn]o such file or directory|nicht gefunden"
            "|No existe el (?:fichero|archivo)|IsADirectory|NotADirectory|EISDIR|ENOTDIR|FileExistsError"
            "|EEXIST|ENOTEMPTY"
        ),
        zone=Zone.THROWN,
        samples=(_T + "FileNotFoundError: [Errno 2] No such file or directory: 'rates.json'",),
    ),
    _row(
        "environment-missing",
        words=("KeyError: '", "unbound variable", "nicht gesetzt", "variable sin asignar",
            "ImproperlyConfigured", "environment variable", "variable not set", "parameter not set",
            "NotPresent"),
        pattern=(
            "KeyError: '[A-Z][A-Z0-9_]{3,}'$|unbound variable|Variable ist nicht gesetzt"
            "|variable sin asignar|ImproperlyConfigured|environment variable|parameter not set|NotPresent"
        ),
        category=Category.STATE,
        weight=54,
        samples=("start\ndeploy.sh: line 3: RELEASE_DIR: unbound variable",),
    ),
    _row(
        "recursion",
        words=("RecursionError", "Maximum call stack", "StackOverflowError", "stack level too deep",
            "stack overflow", "Maximum function nesting", "goroutine stack exceeds", "C stack overflow",
            "too much recursion", "SystemStackError", "has overflowed its stack"),
        weight=65,
        samples=(_T + "RecursionError: maximum recursion depth exceeded",),
    ),
    _row(
        "deadlock",
        words=("all goroutines are asleep", "fatal error: concurrent map", "No live threads left. Deadlock",
            "DATA RACE", "PoisonError", "deadlock"),
        pattern=r"all goroutines are asleep|concurrent map|Deadlock\?|WARNING: DATA RACE|PoisonError",
        weight=66,
        samples=((
            "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan send]:\nmain.main()\n"
            "\t/repo/main.go:5 +0x31\nexit status 2"
        ),),
    ),
    _row(
        "memory-fault",
        words=("Segmentation fault", "AddressSanitizer", "SIGSEGV", "double free", "stack smashing",
            "core dumped", "free(): ", "Speicherzugriffsfehler", "Violación de segmento", "runtime error: ",
            "Fatal Python error", "malloc(): ", "heap-use-after-free", "corrupted ", "Abgebrochen", "Aborted",
            "SIGABRT", "Floating point exception", "Illegal instruction", "ThreadSanitizer", "LeakSanitizer",
            "Bus error", "Gleitkomma-Ausnahme", "buffer overflow detected"),
        pattern=(
            r"Segmentation fault|AddressSanitizer|SIGSEGV|double free|stack smashing|core dumped|free\(\): "
            "|Speicherzugriffsfehler|Violación de segmento|: runtime error: |Fatal Python error"
            r"|malloc\(\): |use-after-free|corrupted (?:size|top|double)"
            r"|^(?:\S+: line \d+: +\d+ )?(?:Aborted|Abgebrochen)|SIGABRT|Floating point exception"
            "|Illegal instruction|Sanitizer|Bus error|Gleitkomma-Ausnahme|overflow detected"
        ),
        weight=58,
        samples=("Segmentation fault (core dumped)",),
    ),
    _row(
        "bad-data",
        words=("JSONDecodeError", "is not valid JSON", "in JSON at position", "UnicodeDecodeError",
            "UnicodeEncodeError", "ValidationError", "JSONDecodeError", "JsonParseException",
            "unexpected end of JSON", "invalid character", "JSON::ParserError", "JsonException", "ParseError",
            "TOMLDecodeError", "yaml.", "NumberFormatException", "ParserError", "ScannerError", "DecodeError",
            "malformed"),
        pattern=(
            "JSONDecodeError|valid JSON|in JSON|UnicodeDecode|UnicodeEncode|ValidationError|JsonParse"
            "|end of JSON|invalid character|JSON::ParserError|JsonException|ParseError|TOMLDecode"
            r"|yaml\.\w+\.\w+|NumberFormat|ParserError|ScannerError|DecodeError|malformed"
        ),
        weight=55,
        zone=Zone.THROWN,
        samples=(_T + "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",),
    ),
    _row(
        "wrapped-command",
        words=("CalledProcessError", "Command failed", "returned non-zero exit status", "exited with code",
            "ELIFECYCLE", "Process completed with exit code"),
        pattern=(
            r"CalledProcessError|Command failed|non-zero exit status|exited with code \d|ELIFECYCLE"
            "|completed with exit code"
        ),
        weight=21,
        category=Category.STATE,
        zone=Zone.THROWN,
        samples=(_T + "subprocess.CalledProcessError: Command '['ls', 'x']' returned non-zero exit status 2.",
            ),
    ),
    _row(
        "built-in-exception",
        words=("Error", "Exception", "error", "panic"),
        pattern="^(?:Exception in thread .{0,60} )?(?:KeyError|IndexError|ValueError|AttributeError|NameError"
            "|ZeroDivisionError|UnboundLocalError|StopIteration|ReferenceError|RangeError|URIError"
            "|NoMethodError|ZeroDivisionError|FrozenError|IndexOutOfBounds|FunctionClauseError|MatchError"
            "|ArithmeticError|CaseClauseError|OverflowError|NotImplementedError|DivisionByZeroError"
            r"|UnhandledMatchError|InvalidArgument\w*"
        r"|java\.(?:lang|util)\.\w+|builtins\.\w+|decimal\.\w+|std::\w+|System\.\w+|panic\b)",
        weight=40,
        zone=Zone.THROWN,
        samples=(_T + "IndexError: list index out of range",
            "RangeError: Invalid array size\n    at run (/repo/src/app.js:2:20)"),
    ),
    _row(
        "shell-and-script",
        words=("Undefined variable", "Undefined array key", "Undefined property", "Undefined index",
            "Use of uninitialized value", "Illegal division by zero", "Can't locate object method",
            "Can't call method", "division by 0", "Division durch 0", "integer expression expected",
            "Not an ARRAY reference", "bad array subscript", "ambiguous redirect",
            "numeric argument required", "unary operator expected", "Undefined constant", "Call to undefined",
            "Undefined subroutine", "value too great for base", "modulo by zero", "Uncaught", "Warning: "),
        pattern=(
            "Undefined (?:variable|array key|property|index|constant|subroutine)|uninitialized value"
            "|Illegal division|Can't locate object method|Can't call method|division by 0|Division durch 0"
            r"|integer expression expected|Not an? \w+ reference|bad array subscript|ambiguous redirect"
            "|numeric argument required|operator expected|Call to undefined|too great for base"
            "|modulo by zero|^Uncaught |^(?:PHP )?Warning: "
        ),
        weight=45,
        samples=("Illegal division by zero at app.pl line 4.",
            "PHP Warning:  Undefined array key \"x\" in /repo/app.php on line 3"),
    ),
    _row(
        "library-syntax-error",
        words=("SyntaxError", "SyntaxException"),
        pattern=r"^(?:[\w.:\\\\/]+)?[A-Z]\w+Syntax(?:Error|Exception)\b",
        error=ErrorType.SYNTAX,
        category=Category.SEMANTIC,
        weight=56,
        zone=Zone.THROWN,
        samples=(_T + (
            "jinja2.exceptions.TemplateSyntaxError: expected token "
            "'in', got 'end of statement block'"
        ),),
    ),
    _row(
        "error-returned-from-main",
        words=("Error: ", "open ", "read ", "mkdir ", "exit status 1"),
        pattern=(
            r"^Error: [A-Z]\w*(?: \{ |\()|^Error: \"|^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:open|read|mkdir"
            r"|stat|remove) \S+: no such file"
        ),
        category=Category.STATE,
        weight=42,
        samples=('Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
            "2026/11/22 06:01:09 open rates.json: no such file or directory\nexit status 1"),
    ),
    _row(
        "error-with-causes",
        words=("Error: ",),
        pattern=r"^Error: [a-z]",
        needs=("\n\nCaused by:\n",),
        category=Category.STATE,
        weight=41,
        samples=("Error: cannot read the rates\n\nCaused by:\n    No such file or directory (os error 2)",),
    ),
    _row(
        "console-of-php",
        words=("In ",),
        pattern=r"^In \w+\.php line \d+:$",
        weight=41,
        samples=((
            "In DefinitionErrorExceptionPass.php line 54:\n\n"
            "  Cannot autowire service \"App\\\\CartService\""
        ),),
    ),
    _row(
        "application-context",
        words=("APPLICATION FAILED TO START", "BeanCreationException", "UnsatisfiedDependencyException",
            "NoSuchBeanDefinitionException"),
        category=Category.STATE,
        weight=43,
        samples=((
            "***************************\nAPPLICATION FAILED TO START\n***************************\n\n"
            "Description:\n\nParameter 0 of constructor in com.shop.CartService required a bean that could "
            "not be found."
        ),),
    ),
    _row(
        "perl-die",
        words=(" at ",),
        pattern=r"^.{1,400} at \S+\.(?:pl|pm|t) line \d+\.$",
        weight=35,
        zone=Zone.FREE,
        samples=("no rate for EUR at app.pl line 7.",),
    ),
    _row(
        "node-threw-no-error",
        words=("node --trace-uncaught", "Thrown at:", "[UnhandledPromiseRejection"),
        weight=46,
        zone=Zone.FREE,
        samples=(
            (
                "/repo/src/app.js:1\nthrow \"text\";\n^\ntext\n"
                "(Use `node --trace-uncaught ...` to show where the exception was thrown)"
            ),
        ),
    ),
    _row(
        "uncaught",
        words=("",),
        weight=20,
        zone=Zone.THROWN,
        samples=(_T + "shop.errors.OutOfStock: tea", "Error: no stock\n    at take (/repo/src/app.js:2:9)"),
    ),
)
# fmt: on
