import type { Log } from '@roadstead/kit';
import { type Database, openDatabase } from '@roadstead/postgres';

export interface ServiceDatabase {
  readonly url: string;
  /** The service's own schema. */
  readonly schema: string;
  readonly log: Pick<Log, 'warn'>;
  /** The most connections. */
  readonly max?: number;
  /** Connections that stay open while idle; none by default. */
  readonly kept?: number;
}

export function openServiceDatabase({ url, schema, log, max = 10, kept = 0 }: ServiceDatabase): Database {
  return openDatabase({
    url,
    max,
    kept,
    name: `roadstead ${schema}`,
    schema,
    onError: (error) => log.warn('a database connection broke', { error }),
  });
}
