"""TypeScript, JavaScript's parsers and bundlers."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family build routing=build-error error=build category=SEMANTIC severity=MEDIUM weight=60
family syntax build error=syntax severity=LOW weight=70
family type build error=type weight=66
family missing build error=dependency category=DEPENDENCY weight=75
build tsc-said weight=46
  words    tsc  |  TS1  |  TS2  |  TS5  |  TS6  |  TS7
  pattern  \btsc\b.{0,80}(?:fail|exited|error)|\bTS[125-7]\d{3,4}\b
  sample   Command `tsc --noEmit` failed
missing ts-missing-module
  words    TS2307  |  TS2792  |  TS7016  |  TS2688  |  TS2580  |  TS2582  |  TS2591  |  TS2305  |  TS2614
             |  TS2724
  pattern  error\S* TS(?:2307|2792|7016|2688|2580|2582|2591)|TS(?:2307|2792|7016|2688)\b
  sample   src/app.ts(1,20): error TS2307: Cannot find module 'left-pad9' or its corresponding type
            declarations.
syntax ts-syntax
  words    TS1
  pattern  error\S* TS1(?:00\d|0[1-9]\d|1\d\d|[2-4]\d\d)\b
  sample   src/app.ts(2,10): error TS1005: ':' expected.
build ts-configuration weight=67
  words    TS5  |  TS6  |  TS18
  pattern  error\S* TS(?:5\d\d\d|6\d\d\d|1800[23])\b
  sample   tsconfig.json(1,21): error TS5023: Unknown compiler option 'stricct'.
type ts-type
  words    error TS  |  error TS  |  TS2  |  TS7  |  TS18  |  is not assignable to type  |  Property '
             |  TSError  |  error NG
  pattern  error NG\d{3,5}: |error\S* TS\d{4,5}\b|TS\d{4,5}: |is not assignable to (?:type
           |parameter of type) '|Property '[^']+' does not exist on type|Unable to compile TypeScript
  sample   src/app.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.
  sample   src/app.ts:2:7 - error TS2554: Expected 2 arguments, but got 1.
  sample   Type 'string' is not assignable to type 'number'.
missing js-missing-module weight=72
  words    Cannot find module  |  Cannot find package  |  ERR_MODULE_NOT_FOUND  |  MODULE_NOT_FOUND
             |  Can't resolve  |  Could not resolve  |  Failed to resolve import
             |  failed to resolve import  |  Failed to resolve entry  |  Rollup failed to resolve
             |  Cannot resolve  |  Module not found  |  Could not locate module
             |  ERR_PACKAGE_PATH_NOT_EXPORTED  |  ERR_UNSUPPORTED_DIR_IMPORT  |  UNRESOLVED_IMPORT
             |  Could not find a declaration  |  Failed to load url  |  No matching export
             |  MISSING_EXPORT  |  does not provide an export named  |  is not exported by
             |  was not found in '  |  ERR_UNKNOWN_BUILTIN_MODULE
  pattern  Cannot find (?:module|package)|MODULE_NOT_FOUND|Can't resolve '|Could not resolve [\"'](?!host)
           |[Ff]ailed to resolve (?:import|entry)|Module not found|Could not locate module|ERR_PACKAGE_PATH
           |ERR_UNSUPPORTED_DIR|UNRESOLVED_IMPORT|Failed to load url|ERR_UNKNOWN_BUILTIN
  sample   Error: Cannot find module 'left-pad9'\nRequire stack:\n- /repo/src/app.js\n
               at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n
               at Object.<anonymous> (/repo/src/app.js:1:13)
  sample   ✘ [ERROR] Could not resolve "./missing"\n\n    src/app.ts:1:20:\n
                 1 │ import x from "./missing"
  sample   ERROR in ./src/index.js 1:0-29\nModule not found: Error: Can't resolve './missing' in '/repo/src'
build js-missing-export weight=73
  words    No matching export  |  MISSING_EXPORT  |  does not provide an export named
             |  is not exported by  |  was not found in '
  pattern  No matching export|MISSING_EXPORT|does not provide an export named|is not exported by \"
           |export '[^']+' .*was not found in '
  sample   ✘ [ERROR] No matching export in "src/util.ts" for import "total"\n\n    src/app.ts:1:9:
syntax js-module-kind error=build weight=71
  words    Cannot use import statement outside a module  |  ERR_REQUIRE_ESM  |  Unexpected token 'export'
             |  Unexpected token 'import'  |  require is not defined in ES module scope
             |  exports is not defined in ES module scope  |  Jest encountered an unexpected token
             |  Must use import to load ES Module
  sample   /repo/src/app.js:1\nimport x from 'y';\n^^^^^^\n\n
           SyntaxError: Cannot use import statement outside a module\n
               at wrapSafe (node:internal/modules/cjs/loader:1515:18)
syntax js-syntax
  words    SyntaxError  |  Unexpected␣  |  Unterminated  |  [ERROR] Expected  |  Expected "
             |  PARSE_ERROR  |  Parse error  |  Parse failure  |  Transform failed  |  [plugin:vite:
             |  Parsing error  |  has already been declared  |  Expected unicode escape  |  Syntax Error
             |  RollupError
  pattern  ^(?:\w+: |\[[\w:./-]+\] |✘ |  - )*(?:Uncaught |Inline script )?SyntaxError(?::
           |$)(?! (?:Unexpected (?:token .{0,40}(?:in JSON|is not valid JSON)|end of JSON)|JSON
           |Expected .{0,60}JSON|Bad control|Unterminated string in JSON
           |Expected property name or '}' in JSON|\"))|\[ERROR\] (?:Unexpected|Unterminated|Expected|Syntax)
           |\[(?:vite:)?esbuild\] Transform failed|^error: (?:Unexpected|Unterminated|Expected) |PARSE_ERROR
           |RollupError: .*\(\d+:\d+\): (?:Express|Expect|Unexpect|Untermin|Invalid|Identifier)|Parse failure
           |Module parse failed|Unexpected token \(\d+:\d+\)|Unexpected token, expected
           |: ERROR: (?:Unexpected|Expected|Unterminated|The symbol)
           |symbol \"[^\"]+\" has already been declared|Syntax Error
  sample   ✘ [ERROR] Unexpected "*"\n\n    src/app.ts:2:12:\n      2 │   return 1 +* 2;
  sample   /repo/src/app.js:2\n  return 1 +* 2;\n            ^\n\nSyntaxError: Unexpected token '*'\n
               at wrapSafe (node:internal/modules/cjs/loader:1515:18)
  sample   ERROR in ./src/index.js 2:12\nModule parse failed: Unexpected token (2:12)\n
           You may need an appropriate loader
build js-bundler weight=55
  words    ERROR in␣  |  webpack␣  |  error during build  |  Build failed with  |  [vite]  |  [rollup]
             |  (!)␣  |  Rollup  |  [ERROR]  |  esbuild  |  RollupError  |  Failed to compile
             |  Invalid configuration object  |  postcss  |  Undefined variable  |  CssSyntaxError
             |  SassError  |  ModuleBuildError  |  webpack-cli
  pattern  ^ERROR in |webpack \d[\d.]* compiled with \d+ error|error during build|Build failed with \d+ error
           |^\[vite\]|RollupError|^✘ \[ERROR\]|^Failed to compile|Invalid configuration object|CssSyntaxError
           |SassError|Undefined variable\.$|ModuleBuildError|\[webpack-cli\]
  sample   ERROR in ./src/a.js\nsomething odd
  sample   ✘ [ERROR] No loader is configured for ".png" files: src/logo.png\n\n    src/app.ts:1:7:
build js-bundler-configuration weight=98
  words    failed to load config from  |  Invalid configuration object
  sample   failed to load config from /repo/vite.config.js\nerror during build:\n
           ReferenceError: nope is not defined\n    at file:///repo/node_modules/.vite-temp/vite.config.js.tim
           estamp-1.mjs:2:38
syntax json-config-syntax weight=76 zone=free
  words    JSON  |  tsconfig  |  package.json
  pattern  JSON(?:\.parse|ParseError)?.{0,60}package\.json|(?:tsconfig|package
           |\.eslintrc)\S*\.json.{0,80}(?:Unexpected|expected|JSON)
  sample   npm error code EJSONPARSE\nnpm error JSON.parse Invalid package.json: JSONParseError: Expected ','
            or '}' after property value
syntax npm-json-syntax weight=75 zone=free
  words    EJSONPARSE
  sample   npm error code EJSONPARSE\nnpm error JSON.parse Failed to parse JSON data.
"""
)
