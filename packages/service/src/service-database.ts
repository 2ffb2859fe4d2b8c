import { type Database, type Log, openDatabase } from '@roadstead/kit';

export interface ServiceDatabase {
  readonly url: string;
  /** The service's own schema. */
  readonly schema: string;
  readonly log: Log;
  /** Connections that stay open while nothing is asked; none by default. */
  readonly kept?: number;
}

export function openServiceDatabase({ url, schema, log, kept = 0 }: ServiceDatabase): Database {
  return openDatabase({
    url,
    max: 10,
    kept,
    name: `roadstead ${schema}`,
    schema,
    onError: (error) => log.warn('a database connection broke', { error }),
  });
}
