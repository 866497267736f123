"""Rules for exhausted or denied resources: disk, memory, descriptors, ports, permissions, time."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=unknown error=resource category=STATE severity=HIGH weight=79
row disk-full severity=CRITICAL weight=97
  words    No space left on device  |  ENOSPC  |  Disk quota exceeded  |  EDQUOT
             |  kein Speicherplatz mehr verfügbar  |  No queda espacio en el dispositivo
             |  Aucun espace disponible  |  disk full  |  File too large  |  EFBIG
             |  Die Datei ist zu groß  |  StorageFull  |  no space left on device  |  not enough space
             |  Not enough disk space
  sample   cp: error writing '/mnt/x': No space left on device
  sample   dd: Fehler beim Schreiben von '/mnt/x': Auf dem Gerät ist kein Speicherplatz mehr verfügbar
row memory routing=runtime-error weight=96
  words    MemoryError  |  heap out of memory  |  OutOfMemoryError  |  Cannot allocate memory
             |  out of memory  |  Out of memory  |  std::bad_alloc  |  Allowed memory size
             |  memory allocation of  |  ENOMEM  |  virtual memory exhausted  |  oom-kill  |  OOMKilled
             |  NoMemoryError  |  not enough memory  |  Invalid array length
             |  Nicht genügend Hauptspeicher  |  No se puede asignar memoria  |  cannot allocate
             |  could not reserve enough space  |  Out of Memory  |  There is insufficient memory
             |  SystemLimitError  |  Array buffer allocation failed  |  Unable to allocate
             |  Invalid string length  |  Not enough memory  |  cannot reserve
             |  process OOM
  pattern  MemoryError|[Oo]ut of [Mm]emory|OutOfMemory|[Cc]annot allocate|bad_alloc|Allowed memory size
           |memory allocation of|ENOMEM|virtual memory exhausted|oom-kill|OOMKilled|not enough memory
           |Not enough memory|Hauptspeicher|asignar memoria|[Cc]ould not reserve|insufficient memory
           |Array buffer allocation failed|Unable to allocate|Invalid string length|cannot reserve
           |[Ff]atal process OOM
  sample   FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
  sample   # Fatal process OOM in Failed to reserve virtual memory for CodeRange
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           MemoryError
row killed weight=66
  words    Killed  |  Getötet  |  Terminado (killed)  |  Matado  |  xit code 137  |  xit Code 137
             |  Exit Code:  |  xit status 137  |  signal: killed  |  SIGKILL  |  terminado (killed)
  pattern  ^(?:\S+: line \d+: +\d+ )?(?:Killed|Getötet|Matado|Terminado \(killed\))\b|[Ee]xit (?:[Cc]ode
           |status):? +137|signal: killed|SIGKILL
  sample   Killed
row descriptors weight=97
  words    Too many open files  |  EMFILE  |  ENFILE  |  Zu viele offene Dateien
             |  Demasiados archivos abiertos  |  Demasiados ficheros abiertos  |  too many open files
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           OSError: [Errno 24] Too many open files: '/repo/x'
row input-output weight=97
  words    Input/output error  |  EIO  |  Eingabe-/Ausgabefehler  |  Error de entrada/salida
             |  Erreur d'entrée/sortie
  pattern  Input/output error|\bEIO\b|Eingabe-/Ausgabefehler|Error de entrada/salida|Erreur d'entrée/sortie
  sample   tests/test_sum.sh: 1: .: cannot open ./sum.sh: Input/output error
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           OSError: [Errno 5] Eingabe-/Ausgabefehler: '/repo/x'
row port-in-use severity=MEDIUM weight=97
  words    Address already in use  |  address already in use  |  EADDRINUSE  |  already in use
             |  wird bereits verwendet  |  ya se está usando  |  ya está en uso
             |  port is already allocated  |  Port␣  |  WinError 10048  |  Only one usage of each socket
             |  eaddrinuse  |  is in use by another program  |  Address in use
  pattern  [Aa]ddress already in use|EADDRINUSE|:eaddrinuse|Port \d+ (?:is|was) (?:already )?in use
           |port is already allocated|Adresse wird bereits verwendet|dirección ya se está usando
           |ya está en uso|10048|Only one usage of each socket|in use by another program|is already used
           |\bport \d+ .{0,40}already in use|Address in use
  sample   Error: Port 58080 is already in use
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           OSError: [Errno 98] Address already in use
row permission category=PERMISSION weight=78
  words    Permission denied  |  permission denied  |  EACCES  |  EPERM  |  Operation not permitted
             |  Keine Berechtigung  |  Permiso denegado  |  Permission non accordée  |  PermissionError
             |  AccessDeniedException  |  Access is denied  |  Die Operation ist nicht erlaubt
             |  Operación no permitida  |  operation not permitted  |  Read-only file system  |  EROFS
             |  must be root  |  are you root  |  Sind Sie root  |  read-only file system
             |  Dateisystem ist nur lesbar  |  solo lectura  |  PermissionDenied
             |  Can't open perl script  |  publickey
  pattern  [Pp]ermission denied(?! for (?:table|schema|database|relation|sequence|function))|EACCES|EPERM
           |[Oo]peration not permitted|Keine Berechtigung|Permiso denegado|non accordée|PermissionError
           |AccessDenied|Access is denied|nicht erlaubt|Operación no permitida|[Rr]ead-only file system|EROFS
           |must be root|are you root|Sind Sie root|nur lesbar|solo lectura|PermissionDenied
  sample   mkdir: cannot create directory '/etc/shop': Permission denied
  sample   mkdir: das Verzeichnis '/etc/shop' kann nicht angelegt werden: Keine Berechtigung
row processes weight=94
  words    Resource temporarily unavailable  |  can't start new thread  |  unable to create native thread
             |  fork: retry  |  EAGAIN  |  fork failed  |  pthread_create  |  Cannot fork
             |  unable to create new native thread  |  Argument list too long  |  E2BIG
             |  File name too long  |  ENAMETOOLONG  |  Too many levels of symbolic links  |  ELOOP
             |  Die Ressource ist zur Zeit nicht verfügbar  |  system limit for number of file watchers
             |  uv_thread_create  |  CPU time limit  |  Quota exceeded  |  SIGXCPU
             |  File size limit exceeded  |  QuotaExceeded  |  Text file busy  |  Could not get lock␣
             |  frontend lock  |  Unable to lock␣
  pattern  Resource temporarily unavailable|can't start new thread|unable to create (?:new )?native thread
           |fork: |EAGAIN|pthread_create|Cannot fork|Argument list too long|E2BIG|[Ff]ile name too long
           |ENAMETOOLONG|Too many levels|ELOOP|zur Zeit nicht verfügbar|file watchers|CPU time limit
           |QuotaExceeded|SIGXCPU|File size limit|Text file busy|Could not get lock /
           |Unable to (?:acquire the dpkg frontend lock|lock )|fork failed
  sample   bash: fork: retry: Resource temporarily unavailable
row process-timeout error=timeout category=TRANSIENT severity=MEDIUM weight=68
  words    TimeoutExpired  |  sending signal␣  |  Terminated  |  asyncio.exceptions.TimeoutError
             |  TimeoutError  |  exit code 124  |  exit status 124  |  CancelledError
             |  execution expired  |  context deadline exceeded  |  Timeout::Error  |  TimeoutException
             |  Beendet  |  Maximum execution time  |  DeadlineExceeded  |  timed out  |  Timed out
             |  The operation was aborted  |  AbortError  |  Operation cancelled  |  deadline has elapsed
             |  LockTimeout  |  lock acquire
  pattern  TimeoutExpired|sending signal (?:TERM|KILL) to command|^(?:\S+: line \d+: +\d+ )?(?:Terminated
           |Beendet)\b|[\w.]*TimeoutError\b|exit (?:code|status) 124|execution expired
           |context deadline exceeded|Timeout::Error|TimeoutException|Maximum execution time|DeadlineExceeded
           |[Tt]imed out|AbortError|deadline has elapsed
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           subprocess.TimeoutExpired: Command '['sleep', '5']' timed out after 0.2 seconds
  sample   Traceback (most recent call last):\n  File "/repo/app/main.py", line 5, in save\n    x()\n
           TimeoutError
"""
)
