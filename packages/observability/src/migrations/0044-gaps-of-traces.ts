import type { Migration } from '@roadstead/postgres';

/** The missing runs above runs that use tokens, so that a call above them still finds those below. */
export const gapsOfTraces: Migration = {
  id: 44,
  name: 'gaps of traces',
  sql: `
alter table traces add column gaps uuid[];
`,
};
