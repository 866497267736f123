"""Rules for git, containers and other tools that report errors without a stack."""

from __future__ import annotations

from functools import partial

from tdd_orchestrator.diagnosis.rules.row import Rule, Zone
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

_git = partial(
    Rule,
    routing=RoutingType.UNKNOWN,
    error=ErrorType.INTEGRATION,
    category=Category.STATE,
    severity=Severity.MEDIUM,
    weight=63,
    zone=Zone.FREE,
)

# fmt: off
RULES = (
    _git(
        "git-conflict",
        words=("CONFLICT (", "KONFLIKT (", "CONFLICTO (", "CONFLIT (", "Merge conflict in",
            "Merge-Konflikt in", "Automatic merge failed", "fix conflicts and then", "could not apply",
            "patch does not apply", "patch failed:", "unmerged files", "nicht zusammengeführte Dateien"),
        weight=69,
        samples=((
            "KONFLIKT (Inhalt): Merge-Konflikt in f.txt\n"
            "Automatischer Merge fehlgeschlagen; beheben Sie die Konflikte und committen Sie dann das "
            "Ergebnis."
        ),),
    ),
    _git(
        "git-rejected",
        words=("[rejected]", "non-fast-forward", "[remote rejected]", "failed to push some refs",
            "zurückgewiesen", "rechazado", "Fehler beim Versenden einiger Referenzen",
            "falló el push de algunas referencias", "stale info", "Not possible to fast-forward"),
        weight=69,
        samples=((
            " ! [rejected]        main -> main (fetch first)\n"
            "error: failed to push some refs to '../origin.git'"
        ),),
    ),
    _git(
        "git",
        words=("fatal: ", "error: ", "Schwerwiegend: ", "schwerwiegend: ", "Fehler: "),
        pattern=(
            "^(?:fatal|[Ss]chwerwiegend): |^(?:error|Fehler): (?:Your local changes|Ihre lokalen|pathspec"
            "|Pfadspezifikation|The following untracked|cannot (?:lock|pull|rebase|open|stat|delete"
            "|checkout|switch|merge|apply|run|revert|cherry)|could not (?:apply|read|lock|detach|open"
            "|write)|src refspec|you need to resolve|branch|Committing is not possible"
            "|Merging is not possible|unable to|object file|can't open patch|inflate|refusing|RPC failed"
            "|failed to fetch|remote|bad signature|index file|failed to push|No such remote|invalid|tag"
            "|la especificación|.*nicht)|^error: (?:tus cambios|Sus cambios|Los cambios)"
        ),
        samples=("fatal: not a git repository (or any of the parent directories): .git",
            "error: pathspec 'nope' did not match any file(s) known to git"),
    ),
    _git(
        "container",
        words=("Error response from daemon", "Cannot connect to the Docker daemon", "CrashLoopBackOff",
            "ImagePullBackOff", "The connection to the server", "Error from server"),
        weight=64,
        samples=("Error response from daemon: No such container: web",),
    ),
    _git(
        "manifest-of-a-tool",
        words=("yaml: ", "error parsing ", "error validating ", "Additional property ", "INSTALLATION FAILED",
            "UPGRADE FAILED", "error converting YAML", "could not parse ", "failed to parse ",
            "Invalid workflow file", "validating "),
        pattern=(
            r"\byaml: (?:line \d+|unmarshal|mapping)|error (?:parsing|validating|converting) "
            r"|Additional property \S+ is not allowed|(?:INSTALLATION|UPGRADE) FAILED: "
            "|^Error: (?:could not|failed to) parse |Invalid workflow file|^validating .{1,300}: "
        ),
        error=ErrorType.BUILD,
        category=Category.SEMANTIC,
        weight=48,
        samples=((
            "error: error parsing deploy.yaml: error converting YAML to JSON: yaml: line 12: did not find "
            "expected key"
        ),),
    ),
    _git(
        "configuration-of-a-tool",
        words=("configuration is invalid", "Invalid configuration", "invalid configuration",
            "not found in configuration", "onfiguration error", "onfig error", "onfiguration file",
            "Unknown option", "unknown option"),
        pattern=(
            "configuration is invalid|[Ii]nvalid configuration|not found in configuration"
            "|[Cc]onfig(?:uration)? error: |[Ee]rror (?:in|while (?:loading|reading"
            r"|parsing)) (?:the )?config(?:uration)?(?: file)?\b"
        ),
        routing=RoutingType.BUILD,
        error=ErrorType.BUILD,
        category=Category.SEMANTIC,
        weight=34,
        samples=((
            "The Poetry configuration is invalid:\n  - Either [project.version] or [tool.poetry.version] "
            "is required in package mode."
        ),),
    ),
    _git(
        "terraform",
        words=("│ Error: ", "Error: "),
        pattern=(
            "^(?:│ )?Error: (?:Unsupported|Invalid|Missing|Reference to|Incorrect|Duplicate|Argument"
            "|Unterminated|Failed to|Unclosed|Inconsistent|Module|Cycle|No )"
        ),
        needs=(".tf line ", ".hcl line "),
        routing=RoutingType.BUILD,
        error=ErrorType.BUILD,
        category=Category.SEMANTIC,
        weight=64,
        samples=((
            "╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 7, in resource \"aws_instance\" "
            "\"web\":"
        ),),
    ),
    _git(
        "file-missing-without-stack",
        words=("No such file or directory", "Datei oder Verzeichnis nicht gefunden",
            "No existe el fichero o el directorio", "No existe el archivo o el directorio",
            "Aucun fichier ou dossier", "Is a directory", "Not a directory", "File exists",
            "Directory not empty", "Could not open input file", "can't open file",
            "Die Datei existiert bereits", "Ist ein Verzeichnis"),
        error=None,
        category=Category.STATE,
        weight=33,
        samples=("cat: rates.json: No such file or directory",),
    ),
    _git(
        "no-rule-knows",
        words=("Exception", "Error:", "error:", "::"),
        pattern=r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)|^(?:[A-Z]\w*::)+[A-Z]\w+(?: \(|: )",
        routing=RoutingType.RUNTIME,
        error=ErrorType.LOGIC,
        category=Category.LOGIC,
        weight=22,
        samples=("ValueErrror: nope\nQuoteError: no rate",),
    ),
)
# fmt: on
