"""Rules for services behind a library: ORMs, migrations, brokers, clouds, remote calls, sockets."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=network-error error=integration category=DEPENDENCY severity=MEDIUM weight=79
family data row routing=database-error category=STATE weight=89
data db-migration
  words    PendingMigrationError  |  Migrations are pending  |  Can't locate revision
             |  alembic.util.exc  |  Target database is not up to date  |  InconsistentMigrationHistory
             |  Migration failed  |  migration failed  |  FlywayException  |  FlywayValidateException
             |  liquibase.exception  |  Dirty database version  |  Multiple head revisions
             |  drift detected  |  Drift detected  |  Error: P3  |  Conflicting migrations detected
             |  migrate found failed migrations  |  no migration found for version
  pattern  PendingMigration|[Mm]igrations are pending|locate revision|alembic\.util\.exc
           |Target database is not up to date|InconsistentMigrationHistory|[Mm]igration .{0,120}failed
           |Flyway\w*Exception|liquibase\.exception|Dirty database version|Multiple head revisions
           |[Dd]rift detected|\bP3\d{3}\b|Conflicting migrations|failed migrations|no migration found
  sample   ActiveRecord::PendingMigrationError:\n\nMigrations are pending. To resolve this issue, run:\n\n
                   bin/rails db:migrate RAILS_ENV=test
  sample   alembic.util.exc.CommandError: Can't locate revision identified by '3f2a1b'
data db-mapper
  words    MongooseError  |  MongoError  |  MongoServerError  |  MongoBulkWriteError
             |  MongoWriteException  |  MongoCommandException  |  MongoTimeoutException
             |  ActiveRecord::  |  Sequel::  |  org.hibernate.  |  javax.persistence.
             |  jakarta.persistence.  |  org.springframework.dao.  |  org.springframework.jdbc.
             |  org.springframework.orm.  |  PrismaClient  |  QueryFailedError  |  Sequelize
             |  EntityMetadataNotFoundError  |  DrizzleError  |  Doctrine\DBAL  |  Illuminate\Database
             |  Microsoft.EntityFrameworkCore  |  DbUpdateException  |  SqlException  |  MySqlException
             |  NpgsqlException  |  PostgresException  |  SqliteException  |  Ecto.  |  Postgrex.
             |  MyXQL.  |  Exposed  |  gorm  |  sql:␣  |  PgDatabaseError  |  SqlxError  |  diesel
             |  rusqlite  |  SqliteFailure  |  pq:␣  |  pgconn.PgError  |  ERROR:␣  |  JedisDataException
             |  JedisConnectionException  |  RedisConnectionException  |  RedisCommandExecutionException
             |  RedisError  |  WriteError  |  cassandra  |  elasticsearch  |  DynamoDB
             |  ConditionalCheckFailed  |  Neo4jError  |  InfluxDB
  pattern  Mongoose(?:Server)?\w*Error|Mongo(?:Server|BulkWrite|Write|Command|Timeout|Socket)?(?:Error
           |Exception)|ActiveRecord::(?!RecordNotFound)\w+|Sequel::\w+|org\.hibernate\.\w|(?:javax
           |jakarta)\.persistence\.\w+Exception|springframework\.(?:dao|jdbc|orm)\.|PrismaClient\w+Error
           |QueryFailedError|Sequelize\w*Error|EntityMetadataNotFound|DrizzleError|Doctrine\\DBAL
           |Illuminate\\Database|EntityFrameworkCore\.\w*Exception|DbUpdateException|(?:Sql|MySql|Npgsql
           |Postgres|Sqlite)Exception\b|\((?:Ecto|Postgrex|MyXQL)\.\w+|\bpq: \w|pgconn\.PgError
           |ERROR: .{1,300} \(SQLSTATE \w{5}\)|PgDatabaseError|SqliteFailure|DatabaseError\(
           |\bsql: (?:no rows|database is closed|Scan error|expected \d|converting|transaction has)
           |Jedis\w+Exception|Redis(?:Connection|CommandExecution)Exception|com\.datastax\.\w
           |(?:elasticsearch|opensearch)\w*\.\w*(?:Error|Exception|exceptions)|ConditionalCheckFailed
           |Neo4jError
  sample       store_test.go:31: insert user: pq: value is wrong
  sample   MongooseError: Query was already executed: Cart.findOne({})\n    at find (/repo/src/users.js:18:23)
row broker-away
  words    AMQPConnectionError  |  AMQPChannelError  |  ConnectionClosedByBroker  |  NoBrokersAvailable
             |  KafkaConnectionError  |  KafkaJSConnectionError  |  KafkaJSNumberOfRetriesExceeded
             |  BrokerNotAvailable  |  org.apache.kafka.common.errors  |  _TRANSPORT
             |  Local: Broker transport failure  |  kafka: client has run out of available brokers
             |  amqp:␣  |  NatsError  |  nats: no servers available  |  nats:␣  |  MqttException
             |  PRECONDITION_FAILED - inequivalent arg  |  kombu.exceptions.OperationalError  |  Bunny::
             |  ServerSelectionTimeoutError:␣  |  KafkaJS  |  Broker may not be available
             |  Handshake terminated by server  |  ACCESS_REFUSED  |  RESOURCE_LOCKED  |  NOT_FOUND - no␣
  pattern  AMQP\w+Error|ConnectionClosedByBroker|NoBrokersAvailable|Kafka\w*(?:Connection|Retries)\w*
           |KafkaJS\w+(?:Error|Exceeded)|Broker may not be available|terminated by server: \d+
           |\b(?:ACCESS_REFUSED|RESOURCE_LOCKED) - |NOT_FOUND - no (?:queue|exchange) |BrokerNotAvailable
           |kafka\.common\.errors\.\w+|_TRANSPORT\b|Broker transport failure|run out of available brokers
           |\bamqp: |NatsError|\bnats: |MqttException|inequivalent arg|kombu\.exceptions|Bunny::
  sample   org.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata after 60000
            ms.
  sample   pika.exceptions.AMQPConnectionError
row cloud-refused category=PERMISSION severity=HIGH weight=87
  words    AccessDenied  |  UnrecognizedClientException  |  InvalidAccessKeyId  |  SignatureDoesNotMatch
             |  ExpiredToken  |  InvalidClientTokenId  |  UnauthorizedOperation  |  NoCredentialsError
             |  Unable to locate credentials  |  CredentialsProviderError  |  DefaultCredentialsError
             |  PERMISSION_DENIED  |  UNAUTHENTICATED  |  code = PermissionDenied
             |  code = Unauthenticated  |  AuthorizationFailed  |  AADSTS  |  SMTPAuthenticationError
             |  could not find default credentials  |  insufficient permissions
             |  exceptions.PermissionDenied  |  exceptions.Forbidden  |  exceptions.Unauthenticated
             |  InvalidClientTokenId
  pattern  \((?:AccessDenied\w*|UnrecognizedClient\w*|InvalidAccessKeyId|SignatureDoesNotMatch
           |ExpiredToken\w*|InvalidClientTokenId|UnauthorizedOperation)\) when calling|(?:^
           |\W)(?:AccessDeniedException|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken):
            |NoCredentials|locate credentials|Credentials(?:Provider)?Error|find default credentials
           |\b(?:PERMISSION_DENIED|UNAUTHENTICATED)\b|code = (?:PermissionDenied|Unauthenticated)
           |AuthorizationFailed|AADSTS\d+|Missing or insufficient permissions
           |google\.api_core\.exceptions\.(?:PermissionDenied|Forbidden|Unauthenticated|Unauthorized)
           |SMTPAuthenticationError
  needs    when calling  |  redentials  |  PERMISSION_DENIED  |  UNAUTHENTICATED  |  code =␣  |  aws
             |  AWS  |  amazon  |  Amazon  |  azure  |  Azure  |  AADSTS  |  smtplib  |  google.
             |  Firebase  |  insufficient permissions
  sample   botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the PutObject
            operation: Access Denied
row cloud-service category=STATE weight=77
  words    botocore.  |  An error occurred (  |  google.api_core.exceptions  |  com.amazonaws
             |  software.amazon.awssdk  |  azure.core.exceptions  |  operation error␣
             |  ServiceException  |  @aws-sdk  |  smtplib.  |  SMTPServerDisconnected  |  paramiko.
             |  ftplib.  |  FirebaseError  |  StorageError
  pattern  botocore\.\w+\.\w+|An error occurred \(\w+\) when calling|google\.api_core\.exceptions\.\w+
           |amazonaws\.\w+|awssdk\.\w+|azure\.core\.exceptions|^operation error \w+|smtplib\.SMTP\w+
           |paramiko\.\w+|ftplib\.error|^(?:Firebase|Storage)Error:␣
  sample   botocore.errorfactory.NoSuchBucket: An error occurred (NoSuchBucket) when calling the GetObject
            operation: The specified bucket does not exist
row remote-call weight=83
  words    rpc error: code =␣  |  StatusCode.  |  StatusRuntimeException  |  grpc._channel  |  GrpcError
             |  RpcException  |  UNAVAILABLE  |  DEADLINE_EXCEEDED  |  code: 14  |  14 UNAVAILABLE
             |  4 DEADLINE_EXCEEDED  |  twirp error  |  tRPCClientError  |  TRPCClientError
             |  ApolloError  |  Status(StatusCode=
  pattern  rpc error: code = \w+|StatusCode\.[A-Z_]{3,}|StatusRuntimeException|grpc\._channel
           |\d{1,2} (?:UNAVAILABLE|DEADLINE_EXCEEDED|INTERNAL|UNIMPLEMENTED)\b|RpcException|twirp error
           |T?tRPCClientError|ApolloError|GrpcError|StatusCode=\"\w+\"
  sample       pricing_test.go:40: rpc error: code = Unavailable desc = upstream is gone
row unexpected-answer category=TRANSIENT weight=83
  words    Unexpected server response  |  Unexpected response  |  handshake  |  WebSocket  |  websocket
             |  InvalidStatus  |  unexpected status  |  Unexpected status  |  bad status code
             |  received HTTP  |  server returned
  pattern  Unexpected (?:server )?response(?: code)?: [45]\d\d|WebSocket connection to '.{1,200}' failed
           |server rejected WebSocket connection|websocket: bad handshake
           |[Uu]nexpected (?:HTTP )?status(?: code)?:? (?:code )?5\d\d|bad status code:? 5\d\d
           |received HTTP (?:status )?5\d\d|server returned (?:an? )?(?:HTTP )?(?:status )?5\d\d
  sample   Error: Unexpected server response: 503\n    at ClientRequest.<anonymous>
            (/repo/node_modules/ws/lib/websocket.js:912:7)
"""
)
