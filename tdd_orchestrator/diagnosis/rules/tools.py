"""Rules for git, containers and other tools that report errors without a stack."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family git routing=unknown error=integration category=STATE severity=MEDIUM weight=63 zone=free
git git-conflict weight=69
  words    CONFLICT (  |  KONFLIKT (  |  CONFLICTO (  |  CONFLIT (  |  Merge conflict in
             |  Merge-Konflikt in  |  Automatic merge failed  |  fix conflicts and then
             |  could not apply  |  patch does not apply  |  patch failed:  |  unmerged files
             |  nicht zusammengeführte Dateien
  sample   KONFLIKT (Inhalt): Merge-Konflikt in f.txt\nAutomatischer Merge fehlgeschlagen; beheben Sie die
            Konflikte und committen Sie dann das Ergebnis.
git git-rejected weight=69
  words    [rejected]  |  non-fast-forward  |  [remote rejected]  |  failed to push some refs
             |  zurückgewiesen  |  rechazado  |  Fehler beim Versenden einiger Referenzen
             |  falló el push de algunas referencias  |  stale info  |  Not possible to fast-forward
  sample    ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to '../origin.git'
git git
  words    fatal:␣  |  error:␣  |  Schwerwiegend:␣  |  schwerwiegend:␣  |  Fehler:␣
  pattern  ^(?:fatal|[Ss]chwerwiegend): |^(?:error|Fehler): (?:Your local changes|Ihre lokalen|pathspec
           |Pfadspezifikation|The following untracked|cannot (?:lock|pull|rebase|open|stat|delete|checkout
           |switch|merge|apply|run|revert|cherry)|could not (?:apply|read|lock|detach|open|write)|src refspec
           |you need to resolve|branch|Committing is not possible|Merging is not possible|unable to
           |object file|can't open patch|inflate|refusing|RPC failed|failed to fetch|remote|bad signature
           |index file|failed to push|No such remote|invalid|tag|la especificación|.*nicht)
           |^error: (?:tus cambios|Sus cambios|Los cambios)
  sample   fatal: not a git repository (or any of the parent directories): .git
  sample   error: pathspec 'nope' did not match any file(s) known to git
git container weight=64
  words    Error response from daemon  |  Cannot connect to the Docker daemon  |  CrashLoopBackOff
             |  ImagePullBackOff  |  The connection to the server  |  Error from server
  sample   Error response from daemon: No such container: web
git manifest-of-a-tool error=build category=SEMANTIC weight=48
  words    yaml:␣  |  error parsing␣  |  error validating␣  |  Additional property␣
             |  INSTALLATION FAILED  |  UPGRADE FAILED  |  error converting YAML  |  could not parse␣
             |  failed to parse␣  |  Invalid workflow file  |  validating␣
  pattern  \byaml: (?:line \d+|unmarshal|mapping)|error (?:parsing|validating|converting)
            |Additional property \S+ is not allowed|(?:INSTALLATION|UPGRADE) FAILED: |^Error: (?:could not
           |failed to) parse |Invalid workflow file|^validating .{1,300}:␣
  sample   error: error parsing deploy.yaml: error converting YAML to JSON: yaml: line 12: did not find
            expected key
git configuration-of-a-tool routing=build-error error=build category=SEMANTIC weight=34
  words    configuration is invalid  |  Invalid configuration  |  invalid configuration
             |  not found in configuration  |  onfiguration error  |  onfig error  |  onfiguration file
             |  Unknown option  |  unknown option
  pattern  configuration is invalid|[Ii]nvalid configuration|not found in configuration
           |[Cc]onfig(?:uration)? error: |[Ee]rror (?:in|while (?:loading|reading
           |parsing)) (?:the )?config(?:uration)?(?: file)?\b
  sample   The Poetry configuration is invalid:\n  - Either [project.version] or [tool.poetry.version] is
            required in package mode.
git terraform routing=build-error error=build category=SEMANTIC weight=64
  words    │ Error:␣  |  Error:␣
  pattern  ^(?:│ )?Error: (?:Unsupported|Invalid|Missing|Reference to|Incorrect|Duplicate|Argument
           |Unterminated|Failed to|Unclosed|Inconsistent|Module|Cycle|No )
  needs    .tf line␣  |  .hcl line␣
  sample   ╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 7, in resource "aws_instance" "web":
git file-missing-without-stack error= weight=33
  words    No such file or directory  |  Datei oder Verzeichnis nicht gefunden
             |  No existe el fichero o el directorio  |  No existe el archivo o el directorio
             |  Aucun fichier ou dossier  |  Is a directory  |  Not a directory  |  File exists
             |  Directory not empty  |  Could not open input file  |  can't open file
             |  Die Datei existiert bereits  |  Ist ein Verzeichnis
  sample   cat: rates.json: No such file or directory
git no-rule-knows routing=runtime-error error=logic category=LOGIC weight=22
  words    Exception  |  Error:  |  error:  |  ::
  pattern  ^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$)|^(?:[A-Z]\w*::)+[A-Z]\w+(?: \(|: )
  sample   ValueErrror: nope\nQuoteError: no rate
"""
)
