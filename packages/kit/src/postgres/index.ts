export { dropDatabase, dropRole, ensureDatabase, ensureRole } from './create.ts';
export { isConnectionError, isUniqueViolation, problemOf } from './database-error.ts';
export { withDatabaseName } from './database-url.ts';
export { type Database, type DatabaseOptions, openDatabase, type Queryable, type Row } from './database.ts';
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded.ts';
export { asOrdinaryUser } from './embedded-process.ts';
export { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
export { type Migration, migrate, SchemaTooNewError } from './migrate.ts';
export { PostgresStartError } from './postgres-start-error.ts';
