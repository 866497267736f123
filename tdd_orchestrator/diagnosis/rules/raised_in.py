"""Rules for errors that no other rule knows, by the library that raised them."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=database-error error=integration category=STATE severity=MEDIUM weight=38 zone=thrown
  words    raised:
row raised-in-database-driver
  pattern  ^raised:(?:pg(?:-\w+)?|postgres|mysql2?|mariadb|oracledb|mssql|tedious|mongodb|mongoose
           |mongodb-\w+|@?redis|@redis/\w+|ioredis|sqlite3|better-sqlite3|knex|sequelize|typeorm|drizzle-orm
           |@prisma/\w+|@mikro-orm/\w+|cassandra-driver|neo4j-driver\w*|@elastic/\w+|@opensearch-project/\w+
           |@supabase/(?:postgrest-js|supabase-js)|psycopg2?|psycopg_pool|asyncpg|aiopg|aiomysql|aiosqlite
           |pymysql|MySQLdb|pymongo|motor|mongoengine|sqlalchemy|alembic|peewee|tortoise|pony|cassandra|neo4j
           |elasticsearch|opensearchpy|influxdb_client|pymssql|clickhouse_\w+|duckdb|snowflake|oracle\.jdbc
           |org\.(?:postgresql|sqlite|mariadb|h2|hibernate|mongodb|neo4j|elasticsearch|opensearch)
           |com\.(?:mysql|mongodb|datastax|zaxxer)|redis\.clients|io\.lettuce)$
  sample   SomeError: this cannot be done now\n    at run (/repo/node_modules/mssql/lib/base.js:38:15)\n
               at async load (/repo/src/store.js:9:18)
row raised-in-network-library routing=network-error category=DEPENDENCY
  pattern  ^raised:(?:axios|got|node-fetch|undici|superagent|ky|ws|socket\.io-client|engine\.io-client
           |@grpc/\w[\w-]*|kafkajs|amqplib|nats|mqtt|@aws-sdk/[\w-]+|@smithy/[\w-]+|@azure/[\w-]+
           |@google-cloud/[\w-]+|@octokit/[\w-]+|openai|ollama|firebase[\w-]*|@firebase/[\w-]+
           |@anthropic-ai/\w+|@apollo/client|graphql-request|nodemailer|ssh2|stripe|twilio|requests|httpx
           |httpcore|aiohttp|urllib3|botocore|boto3|grpc|kafka|confluent_kafka|pika|aio_pika|kombu|nats
           |websockets|paramiko|anthropic|openai|ollama|mistralai|cohere|google|azure|stripe|twilio|github
           |okhttp3\.\w+|retrofit2\.\w+|reactor\.netty|io\.(?:grpc|netty)|com\.(?:rabbitmq|amazonaws)
           |software\.amazon)$
  sample   SomeError: this cannot be done now\n    at run (/repo/node_modules/kafkajs/src/a.js:38:15)\n
               at async send (/repo/src/events.js:9:18)
row raised-in-browser-driver routing=ui-error error=test
  pattern  ^raised:(?:playwright(?:-core)?|@playwright/test|puppeteer(?:-core)?|selenium-webdriver
           |webdriverio|webdriver|@wdio/\w[\w-]*|nightwatch|testcafe|appium[\w-]*|detox|selenium|playwright
           |pyppeteer|splinter|helium|@testing-library/[\w-]+|enzyme|org\.openqa|com\.microsoft\.playwright
           |capybara)$
  sample   SomeError: this cannot be done now\n    at run (/repo/node_modules/puppeteer-core/lib/a.js:38:15)\n
               at async pays (/repo/test/cart.js:9:18)
"""
)
OWNERS = frozenset(rule.name for rule in RULES)
