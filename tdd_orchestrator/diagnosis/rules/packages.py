"""Package managers and missing modules."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family missing routing=build-error error=dependency category=DEPENDENCY severity=MEDIUM weight=77
missing python-circular-import routing=runtime-error category=LOGIC weight=79 secondary=build-error
  words    most likely due to a circular import  |  partially initialized module
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 1, in <module>\n
               from app import orders\nImportError: cannot import name 'Order' from partially initialized
            module 'app.orders' (most likely due to a circular import) (/repo/app/orders.py)
missing python-missing-module weight=76 secondary=runtime-error
  words    ModuleNotFoundError  |  ImportError  |  No module named  |  PackageNotFoundError
             |  DistributionNotFound  |  VersionConflict
  pattern  ModuleNotFoundError|ImportError|No module named|PackageNotFoundError|DistributionNotFound
           |VersionConflict
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 1, in <module>\n
               import yamlx\nModuleNotFoundError: No module named 'yamlx'
missing other-missing-module
  words    Can't locate␣  |  cannot load such file  |  Class "  |  LoadError  |  Failed opening required
             |  module '  |  ClassNotFoundException  |  NoClassDefFoundError
             |  there is no package called  |  UnsupportedClassVersionError
             |  Could not find or load main class  |  Could not find gem  |  could not find Cargo.toml
             |  NoSuchModule  |  Gem::MissingSpecError  |  UndefinedFunctionError
             |  error while loading shared libraries  |  GLIBC_  |  cannot open shared object file
             |  Bundler::GemNotFound  |  module version mismatch  |  NODE_MODULE_VERSION
             |  PackageNotFound  |  not yet installed
  pattern  Can't locate \S+\.p[ml] in @INC|cannot load such file|\(LoadError\)|Failed opening required
           |module '[^']+' not found:|ClassNotFoundException|NoClassDefFoundError|there is no package called
           |UnsupportedClassVersion|Could not find or load main class|Could not find gem|MissingSpecError
           |\(module \S+ is not available\)|error while loading shared libraries|GLIBC_
           |cannot open shared object|GemNotFound|NODE_MODULE_VERSION|could not find `Cargo.toml`
  sample   Can't locate Shop/Rates9.pm in @INC (you may need to install the Shop::Rates9 module) at app.pl
            line 2.
  sample   lua5.4: app.lua:1: module 'ratesx' not found:\n\tno field package.preload['ratesx']
missing pip-build error=build weight=99
  words    subprocess-exited-with-error  |  metadata-generation-failed  |  Failed building wheel
             |  Failed to build  |  Could not build wheels  |  error in setup command
             |  Failed to build installable wheels
  pattern  subprocess-exited-with-error|metadata-generation-failed|Failed building wheel|Failed to build (?:`
           |installable|\w)|Could not build wheels|error in setup command
  needs    pip  |  setup.py  |  wheel  |  pyproject
  sample     error: subprocess-exited-with-error\n  \n  × python setup.py egg_info did not run successfully.
missing pip-resolve weight=98
  words    No matching distribution  |  Could not find a version  |  ResolutionImpossible
             |  conflicting dependencies  |  Requires-Python  |  requires a different Python
             |  which is incompatible  |  Invalid requirement  |  No solution found when resolving
             |  Could not open requirements file  |  externally-managed-environment
             |  THESE PACKAGES DO NOT MATCH THE HASHES  |  is not a supported wheel
             |  does not appear to be a Python project  |  is not a valid editable requirement
             |  has requirement  |  is not installable  |  hash
  pattern  No matching distribution|Could not find a version|ResolutionImpossible|conflicting dependencies
           |requires a different Python|which is incompatible|^(?:ERROR|error): .*Invalid requirement
           |No solution found when resolving|Could not open requirements file|externally-managed
           |DO NOT MATCH THE HASHES|is not a supported wheel|does not appear to be a Python project
           |is not a valid editable|has requirement|^ERROR: .*is not installable|hashes are required
  sample   ERROR: Could not find a version that satisfies the requirement rates9 (from versions: none)\n
           ERROR: No matching distribution found for rates9
missing npm-resolve weight=88
  words    npm error  |  npm ERR!  |  ERESOLVE  |  ETARGET  |  E404  |  yarn  |  ERR_PNPM  |  YN0
             |  No matching version
  pattern  (?:npm (?:error|ERR!) (?:code (?:ERESOLVE|ETARGET|E404|EBADENGINE|ENOTSUP|EUSAGE
           |EINVALIDPACKAGENAME|ENOVERSIONS|EUNSUPPORTEDPROTOCOL|EINTEGRITY|EBADPLATFORM|EINVALIDTAGNAME
           |ENOTCACHED|EBADDEVENGINES|EOVERRIDE|ENOLOCK|ELSPROBLEMS)|.*ERESOLVE|.*No matching version
           |could not determine executable|`npm ci` can only))|ERR_PNPM_\w+|YN00\d\d
  sample   npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree
missing npm-no-manifest error=build category=STATE weight=70
  words    npm error  |  npm ERR!
  pattern  npm (?:error|ERR!) (?:enoent Could not read package\.json|code ENOENT|Missing script
           |missing script)
  sample   npm error Missing script: "biuld"\nnpm error\nnpm error To see a list of scripts, run:
missing cargo-resolve weight=88
  words    failed to select a version  |  no matching package  |  failed to load source for dependency
             |  failed to get `  |  does not have that feature  |  does not have feature
             |  failed to parse lock file  |  package ID specification  |  perhaps a crate was updated
             |  the lock file  |  could not find `  |  requires rustc  |  rustc 1.
  pattern  failed to select a version|no matching package|failed to load source for dep|failed to get `
           |does not have (?:that )?feature|failed to parse lock file|package ID specification
           |crate was updated and forgotten|the lock file .* needs to be updated
           |could not find `[^`]+` in (?:registry|`)|requires rustc|cannot be built because it requires
           |rustc \d[\d.]* is not supported
  sample   error: no matching package named `rates9` found\nlocation searched: crates.io index\n
           required by package `shop v0.1.0 (/repo)`
missing cargo-manifest error=build category=SEMANTIC weight=68
  words    failed to parse manifest  |  Cargo.toml
  pattern  failed to parse manifest|could not find `Cargo\.toml`|invalid (?:key|table header|type)
           |can't find `\w+` (?:bin|lib)
  sample   error: failed to parse manifest at `/repo/Cargo.toml`\n\nCaused by:\n
             no targets specified in the manifest
missing maven-gradle-resolve weight=88
  words    Could not resolve dependencies  |  Could not find artifact  |  Could not resolve all
             |  Could not transfer artifact  |  was not found in  |  Non-resolvable parent POM
             |  Plugin not found  |  Could not find␣  |  DependencyResolutionException  |  Cannot access␣
             |  Error downloading␣  |  ResolveException  |  Cannot find a Java installation
  pattern  Could not resolve (?:dependencies|all)|Could not find artifact|Could not transfer artifact
           |was not found in \S+ during a previous attempt|Non-resolvable parent|Plugin .* (?:was )?not found
           |DependencyResolution|\bResolveException\b|Error downloading [\w.-]+:
           |Cannot find a Java installation|Could not find [\w.-]+:[\w.-]+:|Cannot access \S+ \(.*offline
  sample   [ERROR] Failed to execute goal on project shop: Could not resolve dependencies for project
            shop:shop:jar:1: Could not find artifact org.shopx:rates:jar:9
missing other-managers weight=82
  words    Unable to locate package  |  Could not find gem  |  Could not find a valid gem
             |  Your requirements could not be resolved  |  Unable to find a package  |  error NU1101
             |  version solving failed  |  Because no versions of  |  Unmet dependencies
             |  held broken packages  |  Hex dependency resolution failed  |  Unchecked dependencies
             |  ould not find compatible versions  |  Couldn't find any versions for
             |  Could not compile dependency  |  error NU1  |  not resolved:␣  |  Failed to resolve
             |  failed to resolve  |  unknown package:␣  |  Couldn't find package  |  Could not find hex
             |  PackagesNotFoundError  |  UnsatisfiableError  |  brew  |  could not find package
             |  no candidate  |  kein Installationskandidat  |  Paket
  pattern  Unable to locate package|Could not find (?:a valid )?gem|requirements could not be resolved|NU1101
           |version solving failed|Because no versions|Unmet dependencies|held broken packages
           |Hex dependency resolution|Unchecked dependencies|[Cc]ould not find compatible versions
           |Couldn't find (?:any versions for|package) \"|PackagesNotFoundError|UnsatisfiableError
           |Could not compile dependency|error NU1\d{3}|' not resolved: |[Ff]ailed to resolve (?:'|import
           |package|dependenc|module)|\bunknown package: |no installation candidate|Installationskandidat
           |Paket \S+ kann nicht gefunden|No se ha podido localizar el paquete
  sample   E: Unable to locate package shopkit9
missing command-not-found routing=unknown weight=64 secondary=build-error
  words    command not found  |  : not found  |  Kommando nicht gefunden  |  Befehl nicht gefunden
             |  orden no encontrada  |  no se encontró la orden  |  commande introuvable
             |  No such file or directory: '  |  executable file not found  |  spawn␣
             |  is not recognized as  |  Program not found  |  Unknown command:␣  |  No such command
             |  bad interpreter  |  required file not found  |  no such command
             |  could not determine executable  |  env:␣
  pattern  ^(?:\S{1,200}: )*(?:(?:line|Zeile|línea|ligne) \d+: |\d+: )?[\w./-]+: (?:command not found
           |not found$|(?:Kommando|Befehl) nicht gefunden|orden no encontrada|no se encontró la orden
           |commande introuvable)|executable file not found|spawn \S+ ENOENT|is not recognized as
           |Program not found|no such command: `|^fish: Unknown command: |bad interpreter:
            |cannot execute: required file not found|env: ‘[\w.-]+’: (?:No such file|Datei)|env: [‘'«][\w.-]+
           |\[Errno 2\] No such file or directory: '[\w+-]+'$
  sample   bash: terrafrom: command not found
  sample   sh: 1: eslnt: not found
"""
)
