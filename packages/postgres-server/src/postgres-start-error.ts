/** Why the embedded PostgreSQL cannot be started, in one sentence for the person who started Roadstead. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}
