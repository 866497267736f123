"""Package managers and missing modules."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_missing = partial(
    Rule,
    routing=RoutingType.BUILD,
    error=ErrorType.DEPENDENCY,
    category=Category.DEPENDENCY,
    severity=Severity.MEDIUM,
    weight=77,
)

# fmt: off
RULES = (
    _missing(
        "python-circular-import",
        words=("most likely due to a circular import", "partially initialized module"),
        routing=RoutingType.RUNTIME,
        category=Category.LOGIC,
        secondary=RoutingType.BUILD,
        weight=79,
        samples=(
            (
                'Traceback (most recent call last):\n  File "/repo/app/main.py", line 1, in <module>\n'
                '    from app import orders\nImportError: cannot import name \'Order\' from partially '
                'initialized module \'app.orders\' (most likely due to a circular import) '
                '(/repo/app/orders.py)'
            ),
        ),
    ),
    _missing(
        "python-missing-module",
        words=("ModuleNotFoundError", "ImportError", "No module named", "PackageNotFoundError",
            "DistributionNotFound", "VersionConflict"),
        pattern=(
            "ModuleNotFoundError|ImportError|No module named|PackageNotFoundError|DistributionNotFound"
            "|VersionConflict"
        ),
        secondary=RoutingType.RUNTIME,
        weight=76,
        samples=(
            (
                'Traceback (most recent call last):\n  File "/repo/app/main.py", line 1, in <module>\n'
                '    import yamlx\nModuleNotFoundError: No module named \'yamlx\''
            ),
        ),
    ),
    _missing(
        "other-missing-module",
        words=("Can't locate ", "cannot load such file", "Class \"", "LoadError", "Failed opening required",
            "module '", "ClassNotFoundException", "NoClassDefFoundError", "there is no package called",
            "UnsupportedClassVersionError", "Could not find or load main class", "Could not find gem",
            "could not find Cargo.toml", "NoSuchModule", "Gem::MissingSpecError", "UndefinedFunctionError",
            "error while loading shared libraries", "GLIBC_", "cannot open shared object file",
            "Bundler::GemNotFound", "module version mismatch", "NODE_MODULE_VERSION", "PackageNotFound",
            "not yet installed"),
        pattern=(
            r"Can't locate \S+\.p[ml] in @INC|cannot load such file|\(LoadError\)|Failed opening required"
            "|module '[^']+' not found:|ClassNotFoundException|NoClassDefFoundError"
            "|there is no package called|UnsupportedClassVersion|Could not find or load main class"
            r"|Could not find gem|MissingSpecError|\(module \S+ is not available\)"
            "|error while loading shared libraries|GLIBC_|cannot open shared object|GemNotFound"
            "|NODE_MODULE_VERSION|could not find `Cargo.toml`"
        ),
        samples=(
            (
                "Can't locate Shop/Rates9.pm in @INC (you may need to install the Shop::Rates9 module) at "
                "app.pl line 2."
            ),
            "lua5.4: app.lua:1: module 'ratesx' not found:\n\tno field package.preload['ratesx']",
        ),
    ),
    _missing(
        "pip-build",
        words=("subprocess-exited-with-error", "metadata-generation-failed", "Failed building wheel",
            "Failed to build", "Could not build wheels", "error in setup command",
            "Failed to build installable wheels"),
        error=ErrorType.BUILD,
        weight=99,
        pattern=(
            "subprocess-exited-with-error|metadata-generation-failed|Failed building wheel"
            r"|Failed to build (?:`|installable|\w)|Could not build wheels|error in setup command"
        ),
        samples=((
            "  error: subprocess-exited-with-error\n  \n"
            "  × python setup.py egg_info did not run successfully."
        ),),
        needs=("pip", "setup.py", "wheel", "pyproject"),
    ),
    _missing(
        "pip-resolve",
        words=("No matching distribution", "Could not find a version", "ResolutionImpossible",
            "conflicting dependencies", "Requires-Python", "requires a different Python",
            "which is incompatible", "Invalid requirement", "No solution found when resolving",
            "Could not open requirements file", "externally-managed-environment",
            "THESE PACKAGES DO NOT MATCH THE HASHES", "is not a supported wheel",
            "does not appear to be a Python project", "is not a valid editable requirement",
            "has requirement", "is not installable", "hash"),
        pattern=(
            "No matching distribution|Could not find a version|ResolutionImpossible"
            "|conflicting dependencies|requires a different Python|which is incompatible|^(?:ERROR"
            "|error): .*Invalid requirement|No solution found when resolving"
            "|Could not open requirements file|externally-managed|DO NOT MATCH THE HASHES"
            "|is not a supported wheel|does not appear to be a Python project|is not a valid editable"
            "|has requirement|^ERROR: .*is not installable|hashes are required"
        ),
        weight=98,
        samples=((
            "ERROR: Could not find a version that satisfies the requirement rates9 (from versions: none)\n"
            "ERROR: No matching distribution found for rates9"
        ),),
    ),
    _missing(
        "npm-resolve",
        words=("npm error", "npm ERR!", "ERESOLVE", "ETARGET", "E404", "yarn", "ERR_PNPM", "YN0",
            "No matching version"),
        pattern=(
            "(?:npm (?:error|ERR!) (?:code (?:ERESOLVE|ETARGET|E404|EBADENGINE|ENOTSUP|EUSAGE"
            "|EINVALIDPACKAGENAME|ENOVERSIONS|EUNSUPPORTEDPROTOCOL|EINTEGRITY|EBADPLATFORM|EINVALIDTAGNAME"
            "|ENOTCACHED|EBADDEVENGINES|EOVERRIDE|ENOLOCK|ELSPROBLEMS)|.*ERESOLVE|.*No matching version"
            r"|could not determine executable|`npm ci` can only))|ERR_PNPM_\w+|YN00\d\d"
        ),
        weight=88,
        samples=("npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree",),
    ),
    _missing(
        "npm-no-manifest",
        words=("npm error", "npm ERR!"),
        pattern=(
            r"npm (?:error|ERR!) (?:enoent Could not read package\.json|code ENOENT|Missing script"
            "|missing script)"
        ),
        error=ErrorType.BUILD,
        category=Category.STATE,
        weight=70,
        samples=('npm error Missing script: "biuld"\nnpm error\nnpm error To see a list of scripts, run:',),
    ),
    _missing(
        "cargo-resolve",
        words=("failed to select a version", "no matching package", "failed to load source for dependency",
            "failed to get `", "does not have that feature", "does not have feature",
            "failed to parse lock file", "package ID specification", "perhaps a crate was updated",
            "the lock file", "could not find `", "requires rustc", "rustc 1."),
        pattern=(
            "failed to select a version|no matching package|failed to load source for dep|failed to get `"
            "|does not have (?:that )?feature|failed to parse lock file|package ID specification"
            "|crate was updated and forgotten|the lock file .* needs to be updated"
            "|could not find `[^`]+` in (?:registry|`)|requires rustc|cannot be built because it requires"
            r"|rustc \d[\d.]* is not supported"
        ),
        weight=88,
        samples=((
            "error: no matching package named `rates9` found\nlocation searched: crates.io index\n"
            "required by package `shop v0.1.0 (/repo)`"
        ),),
    ),
    _missing(
        "cargo-manifest",
        words=("failed to parse manifest", "Cargo.toml"),
        pattern=(
            r"failed to parse manifest|could not find `Cargo\.toml`|invalid (?:key|table header|type)"
            r"|can't find `\w+` (?:bin|lib)"
        ),
        error=ErrorType.BUILD,
        category=Category.SEMANTIC,
        weight=68,
        samples=((
            "error: failed to parse manifest at `/repo/Cargo.toml`\n\nCaused by:\n"
            "  no targets specified in the manifest"
        ),),
    ),
    _missing(
        "maven-gradle-resolve",
        words=("Could not resolve dependencies", "Could not find artifact", "Could not resolve all",
            "Could not transfer artifact", "was not found in", "Non-resolvable parent POM",
            "Plugin not found", "Could not find ", "DependencyResolutionException", "Cannot access ",
            "Error downloading ", "ResolveException", "Cannot find a Java installation"),
        pattern=(
            "Could not resolve (?:dependencies|all)|Could not find artifact|Could not transfer artifact"
            r"|was not found in \S+ during a previous attempt|Non-resolvable parent"
            r"|Plugin .* (?:was )?not found|DependencyResolution|\bResolveException\b"
            r"|Error downloading [\w.-]+:|Cannot find a Java installation|Could not find [\w.-]+:[\w.-]+:"
            r"|Cannot access \S+ \(.*offline"
        ),
        weight=88,
        samples=((
            "[ERROR] Failed to execute goal on project shop: Could not resolve dependencies for project "
            "shop:shop:jar:1: Could not find artifact org.shopx:rates:jar:9"
        ),),
    ),
    _missing(
        "other-managers",
        words=("Unable to locate package", "Could not find gem", "Could not find a valid gem",
            "Your requirements could not be resolved", "Unable to find a package", "error NU1101",
            "version solving failed", "Because no versions of", "Unmet dependencies", "held broken packages",
            "Hex dependency resolution failed", "Unchecked dependencies", "ould not find compatible versions",
            "Couldn't find any versions for", "Could not compile dependency", "error NU1", "not resolved: ",
            "Failed to resolve", "failed to resolve", "unknown package: ", "Couldn't find package",
            "Could not find hex", "PackagesNotFoundError", "UnsatisfiableError", "brew",
            "could not find package", "no candidate", "kein Installationskandidat", "Paket"),
        pattern=(
            "Unable to locate package|Could not find (?:a valid )?gem|requirements could not be resolved"
            "|NU1101|version solving failed|Because no versions|Unmet dependencies|held broken packages"
            "|Hex dependency resolution|Unchecked dependencies|[Cc]ould not find compatible versions"
            r"|Couldn't find (?:any versions for|package) \"|PackagesNotFoundError|UnsatisfiableError"
            r"|Could not compile dependency|error NU1\d{3}|' not resolved: |[Ff]ailed to resolve (?:'"
            r"|import|package|dependenc|module)|\bunknown package: |no installation candidate"
            r"|Installationskandidat|Paket \S+ kann nicht gefunden|No se ha podido localizar el paquete"
        ),
        weight=82,
        samples=("E: Unable to locate package shopkit9",),
    ),
    _missing(
        "command-not-found",
        words=("command not found", ": not found", "Kommando nicht gefunden", "Befehl nicht gefunden",
            "orden no encontrada", "no se encontró la orden", "commande introuvable",
            "No such file or directory: '", "executable file not found", "spawn ", "is not recognized as",
            "Program not found", "Unknown command: ", "No such command", "bad interpreter",
            "required file not found", "no such command", "could not determine executable", "env: "),
        pattern=(
            r"^(?:\S{1,200}: )*(?:(?:line|Zeile|línea|ligne) \d+: |\d+: )?[\w./-]+: (?:command not found"
            "|not found$|(?:Kommando|Befehl) nicht gefunden|orden no encontrada|no se encontró la orden"
            r"|commande introuvable)|executable file not found|spawn \S+ ENOENT|is not recognized as"
            "|Program not found|no such command: `|^fish: Unknown command: |bad interpreter: "
            r"|cannot execute: required file not found|env: ‘[\w.-]+’: (?:No such file|Datei)"
            r"|env: [‘'«][\w.-]+|\[Errno 2\] No such file or directory: '[\w+-]+'$"
        ),
        routing=RoutingType.UNKNOWN,
        secondary=RoutingType.BUILD,
        weight=64,
        samples=("bash: terrafrom: command not found", "sh: 1: eslnt: not found"),
    ),
)
# fmt: on
