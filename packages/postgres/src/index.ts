export { BytePieces } from './byte-pieces.ts';
export { type BulkConnection, openBulkConnection } from './bulk-connection.ts';
export {
  databaseExists,
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  findNote,
  keepNote,
  limitRole,
} from './create.ts';
export {
  isCollision,
  isConnectionError,
  isTooSlow,
  isForeignKeyViolation,
  isUniqueViolation,
  isUnstorable,
} from './database-error.ts';
export { withDatabaseName } from './database-url.ts';
export {
  type Database,
  type DatabaseOptions,
  type UnderLock,
  nowLocked,
  openDatabase,
  type PoolFigures,
  type Queryable,
  type Row,
  type Transaction,
} from './database.ts';
export { DueInTurns } from './due-in-turns.ts';
export { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
export { type Migration, migrate, RESTORED_FROM, SchemaTooNewError } from './migrate.ts';
export { isReachable, readServerVersion } from './server.ts';
export { oncePer, periodicWorkTable, whileClaimed } from './shared-work.ts';
