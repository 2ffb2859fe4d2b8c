import { type Migration, periodicWorkTable } from '@roadstead/postgres';

/** When what is done once in a while was done last. */
export const periodicWork: Migration = { id: 48, name: 'periodic work', sql: periodicWorkTable };
