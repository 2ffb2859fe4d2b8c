import { type Database, type Log, openDatabase } from '@roadstead/kit';

export interface ServiceDatabase {
  readonly url: string;
  /** The service's own schema. */
  readonly schema: string;
  readonly log: Log;
}

export function openServiceDatabase({ url, schema, log }: ServiceDatabase): Database {
  return openDatabase({
    url,
    max: 10,
    name: `roadstead ${schema}`,
    schema,
    onError: (error) => log.warn('a database connection broke', { error }),
  });
}
