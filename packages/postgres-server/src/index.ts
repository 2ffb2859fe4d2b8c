export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  runningPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
export { makeSocketFolder } from './socket-folder.ts';
