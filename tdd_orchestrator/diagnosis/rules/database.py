"""Rules for databases: servers' messages, drivers' exceptions, connections."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=database-error error=integration category=STATE severity=MEDIUM weight=90
family denied row category=PERMISSION severity=HIGH weight=96
family query row category=LOGIC weight=92
family down row category=DEPENDENCY severity=MEDIUM weight=94
family wait row error=timeout category=TRANSIENT severity=LOW weight=95
denied db-row-level-security
  words    row-level security  |  row level security  |  política de seguridad de registros
             |  Sicherheitsrichtlinie auf Zeilenebene  |  Policy für Sicherheit auf Zeilenebene
             |  politique de sécurité au niveau ligne  |  RLS
  pattern  row[- ]level security|seguridad de registros|Zeilenebene|niveau ligne|\bRLS\b
  sample   psql:q.sql:1: ERROR:  new row violates row-level security policy for table "customers"
  sample   psql:q.sql:1: FEHLER:  neue Zeile verletzt Policy für Sicherheit auf Zeilenebene für Tabelle »t«
denied db-permission
  words    permission denied for  |  must be owner of  |  keine Berechtigung für  |  permiso denegado
             |  droit refusé  |  command denied to user  |  InsufficientPrivilege  |  NOPERM
             |  not authorized on  |  attempt to write a readonly database  |  42501
  pattern  permission denied for (?:table|schema|database|relation|sequence|function|view|column|language)
           |must be owner of|keine Berechtigung für (?:Tabelle|Schema|Datenbank|Sequenz|Funktion)
           |permiso denegado (?:a|para) (?:la )?(?:tabla|esquema|base|secuencia)|droit refusé
           |command denied to user|InsufficientPrivilege|NOPERM|not authorized on|readonly database
           |code: '42501'
  sample   psql:q.sql:1: ERROR:  permission denied for table users
denied db-authentication
  words    password authentication failed  |  Access denied for user  |  NOAUTH  |  WRONGPASS
             |  Authentication failed  |  Login failed for user  |  ORA-01017  |  no pg_hba.conf entry
             |  Passwort-Authentifizierung  |  la autentificación password falló  |  autentificación
             |  Peer authentication failed  |  requires authentication
             |  called without any password configured  |  FATAL:  role␣
  pattern  password authentication failed|Login failed for user '|ORA-01017|Access denied for user|NOAUTH
           |WRONGPASS|pg_hba\.conf|Passwort-Authentifizierung|la autentificación \w+ falló
           |Peer authentication failed|(?:MongoServerError|OperationFailure).{0,80}uthenticat
           |requires authentication|without any password configured|FATAL:  role \"[^\"]*\" does not exist
  sample   ERROR 1045 (28000): Access denied for user 'shop'@'localhost' (using password: YES)
  sample   psql: error: connection to server at "127.0.0.1", port 5432 failed: FATAL:  password
            authentication failed for user "app"
wait db-lock-or-statement-timeout
  words    statement timeout  |  lock timeout  |  Lock wait timeout  |  max_statement_time
             |  maximum statement execution time  |  Query execution was interrupted  |  QueryCanceled
             |  LockNotAvailable  |  operation exceeded time limit  |  MaxTimeMSExpired
             |  idle-in-transaction timeout  |  tiempo agotado de sentencia
             |  Zeitüberschreitung der Anfrage  |  QueuePool limit  |  Timeout acquiring a connection
             |  could not obtain lock on  |  Connection is not available, request timed out
             |  connection pool timed out  |  pool timed out while waiting
             |  timed out while waiting for a connection  |  cassandra.WriteTimeout
             |  cassandra.ReadTimeout  |  cassandra.OperationTimedOut  |  Coordinator node timed out
  sample   psql:query.sql:2: ERROR:  canceling statement due to statement timeout
row db-deadlock category=TRANSIENT severity=LOW weight=95
  words    deadlock detected  |  Deadlock found  |  DeadlockDetected  |  could not serialize access
             |  SerializationFailure  |  Verklemmung  |  deadlock detectado
             |  se ha detectado un deadlock  |  WriteConflict  |  Record has changed since last read
  sample   ERROR 1213 (40001) at line 3: Deadlock found when trying to get lock; try restarting transaction
row db-locked category=TRANSIENT severity=LOW weight=95
  words    database is locked  |  database table is locked  |  SQLITE_BUSY  |  SQLITE_LOCKED
  pattern  database (?:table )?is locked|SQLITE_(?:BUSY|LOCKED)
  sample   Traceback (most recent call last):\n  File "/repo/a.py", line 3, in <module>\n    c.execute(q)\n
           sqlite3.OperationalError: database is locked
row db-too-many-connections error=resource category=TRANSIENT weight=95
  words    too many clients already  |  Too many connections  |  too many connections for role
             |  remaining connection slots  |  max number of clients reached  |  TooManyConnections
             |  demasiados clientes
  sample   psql: error: connection to server on socket "/run/s" failed: FATAL:  sorry, too many clients
            already
row db-out-of-memory-or-disk error=resource severity=HIGH weight=96
  words    command not allowed when used memory  |  database or disk is full  |  SQLITE_FULL
             |  MISCONF Redis  |  DiskFull  |  The table is full  |  could not extend file
  sample   (error) OOM command not allowed when used memory > 'maxmemory'.
row db-damaged severity=HIGH weight=96
  words    database disk image is malformed  |  file is not a database  |  SQLITE_CORRUPT
             |  SQLITE_NOTADB  |  invalid page in block  |  is marked as crashed
  sample   Error: in prepare, database disk image is malformed (11)
row db-constraint weight=93
  words    UNIQUE constraint failed  |  NOT NULL constraint failed  |  FOREIGN KEY constraint failed
             |  CHECK constraint failed  |  violates unique constraint
             |  violates foreign key constraint  |  violates not-null constraint
             |  violates check constraint  |  violates exclusion constraint  |  Duplicate entry
             |  foreign key constraint fails  |  cannot be null  |  doesn't have a default value
             |  E11000 duplicate key  |  verletzt Unique-Constraint
             |  verletzt Fremdschlüssel-Constraint  |  verletzt Not-Null-Constraint
             |  verletzt Check-Constraint  |  viola la restricción  |  llave duplicada viola
             |  IntegrityError  |  ConstraintException  |  UniqueViolation
             |  Integrity constraint violation  |  CONSTRAINT `  |  SQLITE_CONSTRAINT
             |  Document failed validation  |  duplicate key value
  pattern  constraint|Constraint|Duplicate entry|Column '[^']*' cannot be null|default value|E11000|viola la
           |IntegrityError|UniqueViolation|failed validation|SQLITE_CONSTRAINT|duplicate key
  sample   Error: stepping, UNIQUE constraint failed: users.email (19)
  sample   psql:q.sql:3: ERROR:  insert or update on table "orders" violates foreign key constraint
            "orders_user_id_fkey"
  sample   ERROR 1062 (23000) at line 1: Duplicate entry 'a@b.c' for key 'email'
query db-missing-object category=STATE
  words    no such table  |  no such column  |  does not exist  |  doesn't exist  |  Unknown column
             |  Unknown database  |  Unknown table  |  has no column named  |  existiert nicht
             |  no existe  |  UndefinedTable  |  UndefinedColumn  |  errors.UndefinedFunction
             |  unknown database  |  ns not found
  pattern  no such (?:table|column|function|index|view)\b|(?:ERROR|FATAL|FEHLER|ERREUR|error|Error|exception
           |LINE \d+)\b(?!.*(?:\b(?:package|file|path|directory) \S+ (?:does not exist|existiert nicht
           |no existe)|does not exist (?:on|in) (?:type|value|the context|namespace
           |module)\b)).*\b(?:relation|column|function|database|role|schema|type (?!of\b)|operator|table
           |Relation|Spalte|Tabelle|Funktion|Datenbank|Rolle|la relación|la columna|la función
           |la base de datos|el rol|not find|prepared statement|trigger|index(?! file))\b.*(?:does not exist
           |existiert nicht|no existe|n'existe pas)|Table '[^']*' doesn't exist|Unknown (?:column|database
           |table)|has no column named|errors\.Undefined(?:Table|Column|Function)|ns not found|\b(?:relation
           |column|database|role|function) \"?[\w.]+\"?(?:\(.*\))? does not exist
  sample   psql:query.sql:1: ERROR:  relation "orders" does not exist\nLINE 1: select * from orders;\n
                                 ^
  sample   ERROR 1146 (42S02) at line 1: Table 'shop.orders' doesn't exist
  sample   Error: in prepare, no such table: orders
query db-syntax category=SEMANTIC
  words    syntax error at or near  |  syntax error at end of input
             |  You have an error in your SQL syntax  |  near "  |  SQL syntax  |  incomplete input
             |  Syntaxfehler bei  |  error de sintaxis en o cerca  |  erreur de syntaxe sur ou près
             |  unrecognized token  |  wrong number of arguments for  |  unknown top level operator
             |  unknown operator: $  |  Unrecognized pipeline stage name  |  Unrecognized expression '$
             |  unknown group operator  |  unknown command
  pattern  syntax error at (?:or near|end of input)|SQL syntax|near \"[^\"]*\": syntax error|incomplete input
           |Syntaxfehler bei|error de sintaxis en o cerca|erreur de syntaxe sur|unrecognized token: \"
           |ERR wrong number of arguments|top level operator|unknown operator: \$
           |Unrecognized (?:pipeline stage name|expression '\$)|unknown group operator|ERR unknown command
  sample   Error: in prepare, near "FORM": syntax error (1)
  sample   ERROR 1064 (42000) at line 1: You have an error in your SQL syntax; check the manual that
            corresponds
query db-value
  words    numeric field overflow  |  value too long for type  |  Data too long for column
             |  Out of range value  |  out of range  |  invalid input syntax for  |  division by zero
             |  Incorrect integer value  |  Incorrect date  |  Incorrect decimal
             |  Data truncated for column  |  WRONGTYPE  |  operator does not exist  |  cannot cast type
             |  datatype mismatch  |  Incorrect number of bindings  |  must appear in the GROUP BY
             |  is ambiguous  |  not an integer or out of range  |  Division durch Null
             |  división por cero  |  Column count doesn't match  |  is of type  |  Binding␣
             |  values were supplied  |  values for  |  type 'dict' is not supported
  pattern  numeric field overflow|value too long for type|Data too long|Out of range value|(?:\b(?:ERROR
           |FEHLER):  |(?<!runtime )(?<!: )\berror: |\bERR |(?:psycopg2?|asyncpg|pymysql
           |oracledb)\.\w+\.\w+: |\b(?:Programming|Data|Operational|Database|Internal|Response|Reply
           |MongoServer)Error: |SQLSTATE).*(?:out of range|invalid input syntax|division by zero
           |Division durch Null|división por cero|cannot cast|is ambiguous|GROUP BY|is of type)
           |Incorrect (?:integer|date|decimal|datetime|string) ?value|Data truncated|WRONGTYPE
           |operator does not exist|datatype mismatch|has \d+ columns but \d+ values
           |\d+ values for \d+ columns|(?:Incorrect number of|Error) bind(?:ings|ing)
           |Column count doesn't match|Binding \d|is not supported
  needs    values were supplied  |  ERROR: ␣  |  ERROR 1  |  FEHLER: ␣  |  sqlite3  |  SQLite  |  Sqlite
             |  SQLITE_  |  psycopg  |  pymysql.  |  WRONGTYPE  |  ERR␣  |  code: '  |  lib:pg
             |  redis.exceptions  |  SQLSTATE  |  SQLException  |  PG::  |  Mysql2::
  sample   psql:query.sql:1: ERROR:  numeric field overflow\n
           DETAIL:  A field with precision 6, scale 2 must round
  sample   (error) WRONGTYPE Operation against a key holding the wrong kind of value
row db-transaction-state
  words    current transaction is aborted  |  InFailedSqlTransaction
             |  there is already a transaction in progress  |  cannot start a transaction within a transaction
             |  READONLY You can't write against a read only  |  LOADING Redis
             |  Cannot operate on a closed database  |  the connection is closed
             |  read-only transaction  |  transaction rolled back
             |  Can't reconnect until invalid transaction  |  This Session's transaction has been rolled back
             |  la transacción actual ha sido abortada  |  aktuelle Transaktion wurde abgebrochen
             |  Topology is closed  |  not connected  |  EXECABORT  |  NOSCRIPT  |  NotWritablePrimary
  pattern  transaction|READONLY You|LOADING Redis|Cannot operate on a closed database|connection is closed
           |transacción actual|Transaktion wurde|Topology is closed|MongoNotConnectedError|EXECABORT|NOSCRIPT
           |NotWritablePrimary
  sample   psql:q.sql:3: ERROR:  current transaction is aborted, commands ignored until end of transaction
            block
down db-connection
  words    could not connect to server  |  Can't reach database server  |  RedisConnectionException
             |  JedisConnectionException  |  buffering timed out after  |  Communications link failure
             |  connection to server at  |  connection to server on socket
             |  Can't connect to MySQL server  |  Can't connect to local MySQL
             |  Can't connect to server on  |  Can't connect to local server
             |  Can't connect to local MariaDB  |  ServerSelectionTimeoutError
             |  MongoServerSelectionError  |  MongoNetworkError  |  Could not connect to Redis
             |  Lost connection to  |  server has gone away  |  terminating connection due to
             |  server closed the connection unexpectedly  |  connecting to 127.0.0.1
             |  redis.exceptions.ConnectionError  |  redis.exceptions.TimeoutError
             |  unable to open database file  |  unable to open database  |  SQLITE_CANTOPEN
             |  MaxRetriesPerRequestError  |  the database system is starting up
             |  the database system is shutting down  |  Communications link failure  |  AutoReconnect
             |  la conexión al servidor  |  la connexion au serveur sur  |  Verbindung zum Server
             |  Connection terminated unexpectedly  |  PoolTimeout  |  connection pool exhausted
             |  PROTOCOL_CONNECTION_LOST  |  failed to connect to `  |  AutoReconnect  |  NotPrimaryError
  sample   psql: error: connection to server at "127.0.0.1", port 58111 failed: Connection refused\n
           \tIs the server running on that host and accepting TCP/IP connections?
  sample   Could not connect to Redis at 127.0.0.1:58999: Connection refused
  sample   ERROR 2002 (HY000): Can't connect to server on '127.0.0.1' (115)
down db-driver-connection-refused weight=91 zone=thrown
  words    ECONNREFUSED  |  connection refused  |  Connection refused  |  ETIMEDOUT  |  ENOTFOUND
             |  ECONNRESET
  needs    lib:pg  |  lib:mysql2  |  lib:mysql  |  lib:ioredis  |  lib:redis  |  lib:@redis
             |  lib:mongodb  |  lib:mongoose  |  lib:mariadb  |  lib:pymongo  |  lib:pymysql  |  lib:psycopg
  sample   Error: connect ECONNREFUSED 127.0.0.1:58111\n    at TCPConnectWrap.afterConnect [as oncomplete]
            (node:net:1607:16)\n    at async connect (/repo/node_modules/pg/lib/client.js:10:3)\n
               at async load (/repo/src/store.js:3:3)
down db-port-refused weight=91 zone=thrown
  words    :5432  |  :3306  |  :6379  |  :27017
  pattern  (?:ECONNREFUSED|[Cc]onnection refused|ETIMEDOUT|ECONNRESET)\b.{0,80}[\w\])]:(?:5432|3306|6379
           |27017)\b|dial tcp \S+:(?:5432|3306|6379|27017)\b.{0,80}(?:refused|reset|timeout)
  sample   Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete]
            (node:net:1607:16)
row db-server-error weight=85
  words    ERROR␣  |  ERROR: ␣  |  FATAL: ␣  |  FEHLER: ␣  |  ERREUR : ␣  |  ERREUR: ␣  |  ERRO: ␣
             |  ERRORE: ␣  |  ОШИБКА: ␣  |  ВАЖНО: ␣  |  错误: ␣  |  致命错误: ␣  |  エラー: ␣  |  BŁĄD: ␣
             |  SQLSTATE  |  ORA-  |  (error)␣  |  ERR␣  |  NOSCRIPT␣  |  MISCONF␣  |  EXECABORT␣
             |  CROSSSLOT␣  |  CLUSTERDOWN␣  |  READONLY␣  |  Msg␣  |  NJS-  |  DPY-  |  DPI-  |  PLS-
             |  SP2-  |  PGRST  |  Parse error near line␣  |  Runtime error near line␣
  pattern  ^ERROR \d{4} \([0-9A-Z]{5}\)|^(?:psql:\S*:?(?:\d+:)? ?)?(?:ERROR|FATAL|PANIC|FEHLER|ERREUR ?|ERRO
           |ERRORE|ОШИБКА|ВАЖНО|错误|致命错误|エラー|BŁĄD):  (?!(?:Could not find a valid|While executing
           |Error installing|Possible alternatives)\b)\S|SQLSTATE[ :=(\[]{0,3}\w{5}|\b(?:ORA-\d{5}|NJS-\d{3}
           |DPY-\d{4}|DPI-\d{4}|PLS-\d{5}|SP2-\d{4})\b|^(?:Parse|Runtime) error near line \d+:
            |\bPGRST\d{3}\b|^Msg \d+, Level \d+, State \d+|^\(error\) [A-Z]+
            |^(?:\(error\) )?(?:ERR (?:[Uu]nknown |[Ww]rong number of |syntax error|value is not |no such
            |[Ii]nvalid |Error (?:running|compiling) |DB index |index out )|(?:NOSCRIPT|MISCONF|EXECABORT
           |CROSSSLOT|CLUSTERDOWN|READONLY) [A-Z])
  sample   psql:q.sql:1: ERROR:  cannot drop columns from view
  sample   ERROR 1099 (HY000) at line 2: something
  sample   ERR Unknown Redis command called from script script: 8a08f4b5, on @user_script:1.
row db-driver-exception weight=80
  words    sqlite3.  |  psycopg  |  pymysql.  |  MySQLdb.  |  pymongo.errors.  |  redis.exceptions.
             |  sqlalchemy.exc.  |  django.db.utils.  |  SQLite3::  |  PG::  |  Mysql2::
             |  MongoServerError  |  SqliteError  |  java.sql.  |  PDOException  |  mysqli_sql_exception
             |  ReplyError  |  asyncpg.  |  Ecto.  |  PrismaClient  |  org.postgresql
             |  mysql.connector.  |  SequelizeDatabaseError  |  QueryFailedError  |  org.sqlite
             |  peewee.  |  cassandra.  |  oracledb.  |  pyodbc.  |  pymssql.  |  neo4j.
             |  SyntaxException:␣  |  InvalidRequest:␣
  pattern  ^(?:\[cause\]: |Caused by: )?\(?(?:sqlite3\.\w*Error|psycopg2?\.\w+|pymysql\.err|MySQLdb\.
           |pymongo\.errors|redis\.exceptions|sqlalchemy\.exc\.|django\.db\.utils|SQLite3::|PG::|Mysql2::
           |MongoServerError|SqliteError|java\.sql\.|PDOException|mysqli_sql_exception|ReplyError|asyncpg\.
           |Ecto\.|Prisma|org\.(?:postgresql|sqlite)|mysql\.connector|Sequelize|QueryFailedError
           |peewee\.\w+Error|cassandra\.\w|oracledb\.\w|pyodbc\.\w|pymssql\.\w|neo4j\.exceptions
           |(?:SyntaxException|InvalidRequest): line \d+:\d+ )
  sample   Traceback (most recent call last):\n  File "/repo/a.py", line 3, in <module>\n    c.execute(q)\n
           sqlite3.NotSupportedError: deterministic functions need a newer library
row db-driver-misuse category=LOGIC weight=81
  words    Error:␣  |  Found:␣
  pattern  ^(?:\w+\.)+(?:ProgrammingError|DataError|InvalidRequestError|ArgumentError
           |ObjectNotExecutableError|ResponseError|GroupingError|InterfaceError|FieldError|CompileError
           |StatementError|NoForeignKeysError):␣
  needs    sqlite3.  |  psycopg  |  pymysql.  |  redis.exceptions  |  sqlalchemy.  |  asyncpg.
             |  MySQLdb.  |  mysql.connector  |  pyodbc.  |  oracledb.
  sample   Traceback (most recent call last):\n  File "/repo/a.py", line 3, in <module>\n    c.execute(q)\n
           psycopg.ProgrammingError: the query has 2 placeholders but 1 parameters were passed
row db-error-object weight=84 zone=thrown
  words    code: '  |  code: "  |  sqlState  |  errno:␣
  pattern  code: ['\"](?:[0-9][0-9A-Z]{4}|ER_\w+|SQLITE_\w+)['\"]|sqlState:␣
  sample   error: could not do it\n    at /repo/node_modules/pg/lib/client.js:694:17\n
               at async save (/repo/src/store.js:7:3) {\n  length: 1,\n  code: '22P02'\n}
"""
)
