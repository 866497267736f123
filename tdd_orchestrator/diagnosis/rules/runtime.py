"""Rules for exceptions of running code, from specific ones to the last resort."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=runtime-error error=logic category=LOGIC severity=MEDIUM weight=50
row null-dereference weight=59
  words    of undefined  |  of null  |  'NoneType' object  |  is undefined  |  is null  |  nil:NilClass
             |  for nil  |  nil pointer dereference  |  NullPointerException  |  null reference
             |  NullReferenceException  |  on null  |  undefined value  |  nil value  |  is not defined
             |  None` value  |  nil object  |  on an unblessed
  pattern  (?:of|properties of) (?:undefined|null)\b|'NoneType' object|(?:\w|\)) is (?:undefined|null)\b
           |(?:nil:NilClass|for nil\b)|nil pointer dereference|NullPointerException|NullReference|on null\b
           |undefined value|a nil value|is not defined|`None` value|for nil
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           AttributeError: 'NoneType' object has no attribute 'name'
  sample   Cannot read property 'id' of undefined
  sample   TypeError: Cannot read properties of null (reading 'host')\n
               at Object.<anonymous> (/repo/src/app.js:2:20)
  sample   panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV]\n\n
           goroutine 1 [running]:\nmain.main()\n\t/repo/main.go:5 +0x31\nexit status 2
row type-error weight=48 zone=thrown
  words    TypeError  |  ArgumentError  |  ClassCastException  |  ArgumentCountError
             |  no implicit conversion  |  ArgumentTypeError  |  interface conversion
             |  InvalidCastException  |  wrong argument type
  pattern  ^(?:Uncaught )?(?:\w+\.)*(?:TypeError|ArgumentError|ClassCastException|ArgumentCountError
           |InvalidCastException|java\.lang\.ClassCast\w+)\b|no implicit conversion|interface conversion
           |panic: interface
  sample   TypeError: total is not a function\n    at run (/repo/src/app.js:2:20)
row python-type-error error=type weight=49 zone=thrown
  words    TypeError:␣
  pattern  ^TypeError: (?:unsupported operand|can only concatenate|.* takes .*positional argument
           |.* missing \d+ required|.* got an unexpected keyword|'[^']+' object (?:is not|cannot be
           |does not support)|.*must be .*not |.*expected .*got|'[<>=]+' not supported|.* argument
           |bad operand|object .*can't be used|int\(\)|float\(\)|cannot convert|unhashable|can't
           |string indices|list indices)
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           TypeError: unsupported operand type(s) for +: 'int' and 'str'
row missing-key weight=98 zone=thrown
  words    KeyError:␣
  pattern  ^KeyError: (?!'[A-Z][A-Z0-9_]{3,}'$)
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           KeyError: 'connection refused'
row file-missing category=STATE weight=57 zone=thrown
  words    FileNotFoundError  |  ENOENT  |  NoSuchFileException  |  FileNotFoundException
             |  No such file or directory  |  Datei oder Verzeichnis nicht gefunden
             |  No existe el fichero  |  No existe el archivo  |  IsADirectoryError
             |  NotADirectoryError  |  EISDIR  |  ENOTDIR  |  FileExistsError  |  EEXIST
             |  Errno::ENOENT  |  no such file or directory  |  DirectoryNotEmpty  |  ENOTEMPTY
  pattern  FileNotFound|ENOENT|NoSuchFileException|[Nn]o such file or directory|nicht gefunden
           |No existe el (?:fichero|archivo)|IsADirectory|NotADirectory|EISDIR|ENOTDIR|FileExistsError|EEXIST
           |ENOTEMPTY
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           FileNotFoundError: [Errno 2] No such file or directory: 'rates.json'
row environment-missing category=STATE weight=54
  words    KeyError: '  |  unbound variable  |  nicht gesetzt  |  variable sin asignar
             |  ImproperlyConfigured  |  environment variable  |  variable not set  |  parameter not set
             |  NotPresent
  pattern  KeyError: '[A-Z][A-Z0-9_]{3,}'$|unbound variable|Variable ist nicht gesetzt|variable sin asignar
           |ImproperlyConfigured|environment variable|parameter not set|NotPresent
  sample   start\ndeploy.sh: line 3: RELEASE_DIR: unbound variable
row recursion weight=65
  words    RecursionError  |  Maximum call stack  |  StackOverflowError  |  stack level too deep
             |  stack overflow  |  Maximum function nesting  |  goroutine stack exceeds
             |  C stack overflow  |  too much recursion  |  SystemStackError  |  has overflowed its stack
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           RecursionError: maximum recursion depth exceeded
row deadlock weight=66
  words    all goroutines are asleep  |  fatal error: concurrent map  |  No live threads left. Deadlock
             |  DATA RACE  |  PoisonError  |  deadlock
  pattern  all goroutines are asleep|concurrent map|Deadlock\?|WARNING: DATA RACE|PoisonError
  sample   fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan send]:\nmain.main()\n
           \t/repo/main.go:5 +0x31\nexit status 2
row memory-fault weight=58
  words    Segmentation fault  |  AddressSanitizer  |  SIGSEGV  |  double free  |  stack smashing
             |  core dumped  |  free():␣  |  Speicherzugriffsfehler  |  Violación de segmento
             |  runtime error:␣  |  Fatal Python error  |  malloc():␣  |  heap-use-after-free
             |  corrupted␣  |  Abgebrochen  |  Aborted  |  SIGABRT  |  Floating point exception
             |  Illegal instruction  |  ThreadSanitizer  |  LeakSanitizer  |  Bus error
             |  Gleitkomma-Ausnahme  |  buffer overflow detected
  pattern  Segmentation fault|AddressSanitizer|SIGSEGV|double free|stack smashing|core dumped|free\(\):
            |Speicherzugriffsfehler|Violación de segmento|: runtime error: |Fatal Python error|malloc\(\):
            |use-after-free|corrupted (?:size|top|double)|^(?:\S+: line \d+: +\d+ )?(?:Aborted|Abgebrochen)
           |SIGABRT|Floating point exception|Illegal instruction|Sanitizer|Bus error|Gleitkomma-Ausnahme
           |overflow detected
  sample   Segmentation fault (core dumped)
row bad-data weight=55 zone=thrown
  words    JSONDecodeError  |  is not valid JSON  |  in JSON at position  |  UnicodeDecodeError
             |  UnicodeEncodeError  |  ValidationError  |  JSONDecodeError  |  JsonParseException
             |  unexpected end of JSON  |  invalid character  |  JSON::ParserError  |  JsonException
             |  ParseError  |  TOMLDecodeError  |  yaml.  |  NumberFormatException  |  ParserError
             |  ScannerError  |  DecodeError  |  malformed
  pattern  JSONDecodeError|valid JSON|in JSON|UnicodeDecode|UnicodeEncode|ValidationError|JsonParse
           |end of JSON|invalid character|JSON::ParserError|JsonException|ParseError|TOMLDecode
           |yaml\.\w+\.\w+|NumberFormat|ParserError|ScannerError|DecodeError|malformed
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
row wrapped-command category=STATE weight=21 zone=thrown
  words    CalledProcessError  |  Command failed  |  returned non-zero exit status  |  exited with code
             |  ELIFECYCLE  |  Process completed with exit code
  pattern  CalledProcessError|Command failed|non-zero exit status|exited with code \d|ELIFECYCLE
           |completed with exit code
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           subprocess.CalledProcessError: Command '['ls', 'x']' returned non-zero exit status 2.
row built-in-exception weight=40 zone=thrown
  words    Error  |  Exception  |  error  |  panic
  pattern  ^(?:Exception in thread .{0,60} )?(?:KeyError|IndexError|ValueError|AttributeError|NameError
           |ZeroDivisionError|UnboundLocalError|StopIteration|ReferenceError|RangeError|URIError
           |NoMethodError|ZeroDivisionError|FrozenError|IndexOutOfBounds|FunctionClauseError|MatchError
           |ArithmeticError|CaseClauseError|OverflowError|NotImplementedError|DivisionByZeroError
           |UnhandledMatchError|InvalidArgument\w*|java\.(?:lang|util)\.\w+|builtins\.\w+|decimal\.\w+
           |std::\w+|System\.\w+|panic\b)
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           IndexError: list index out of range
  sample   RangeError: Invalid array size\n    at run (/repo/src/app.js:2:20)
row shell-and-script weight=45
  words    Undefined variable  |  Undefined array key  |  Undefined property  |  Undefined index
             |  Use of uninitialized value  |  Illegal division by zero  |  Can't locate object method
             |  Can't call method  |  division by 0  |  Division durch 0  |  integer expression expected
             |  Not an ARRAY reference  |  bad array subscript  |  ambiguous redirect
             |  numeric argument required  |  unary operator expected  |  Undefined constant
             |  Call to undefined  |  Undefined subroutine  |  value too great for base
             |  modulo by zero  |  Uncaught  |  Warning:␣
  pattern  Undefined (?:variable|array key|property|index|constant|subroutine)|uninitialized value
           |Illegal division|Can't locate object method|Can't call method|division by 0|Division durch 0
           |integer expression expected|Not an? \w+ reference|bad array subscript|ambiguous redirect
           |numeric argument required|operator expected|Call to undefined|too great for base|modulo by zero
           |^Uncaught |^(?:PHP )?Warning:␣
  sample   Illegal division by zero at app.pl line 4.
  sample   PHP Warning:  Undefined array key "x" in /repo/app.php on line 3
row library-syntax-error error=syntax category=SEMANTIC weight=56 zone=thrown
  words    SyntaxError  |  SyntaxException
  pattern  ^(?:[\w.:\\\\/]+)?[A-Z]\w+Syntax(?:Error|Exception)\b
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           jinja2.exceptions.TemplateSyntaxError: expected token 'in', got 'end of statement block'
row error-returned-from-main category=STATE weight=42
  words    Error:␣  |  open␣  |  read␣  |  mkdir␣  |  exit status 1
  pattern  ^Error: [A-Z]\w*(?: \{ |\()|^Error: \"|^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:open|read|mkdir|stat
           |remove) \S+: no such file
  sample   Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }
  sample   2026/11/22 06:01:09 open rates.json: no such file or directory\nexit status 1
row error-with-causes category=STATE weight=41
  words    Error:␣
  pattern  ^Error: [a-z]
  needs    \n\nCaused by:\n
  sample   Error: cannot read the rates\n\nCaused by:\n    No such file or directory (os error 2)
row console-of-php weight=41
  words    In␣
  pattern  ^In \w+\.php line \d+:$
  sample   In DefinitionErrorExceptionPass.php line 54:\n\n  Cannot autowire service "App\\CartService"
row application-context category=STATE weight=43
  words    APPLICATION FAILED TO START  |  BeanCreationException  |  UnsatisfiedDependencyException
             |  NoSuchBeanDefinitionException
  sample   ***************************\nAPPLICATION FAILED TO START\n***************************\n\n
           Description:\n\nParameter 0 of constructor in com.shop.CartService required a bean that could not
            be found.
row perl-die weight=35 zone=free
  words    ␣at␣
  pattern  ^.{1,400} at \S+\.(?:pl|pm|t) line \d+\.$
  sample   no rate for EUR at app.pl line 7.
row node-threw-no-error weight=46 zone=free
  words    node --trace-uncaught  |  Thrown at:  |  [UnhandledPromiseRejection
  sample   /repo/src/app.js:1\nthrow "text";\n^\ntext\n(Use `node --trace-uncaught ...` to show where the
            exception was thrown)
row uncaught weight=20 zone=thrown
  words
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in run\n    x()\n
           shop.errors.OutOfStock: tea
  sample   Error: no stock\n    at take (/repo/src/app.js:2:9)
"""
)
