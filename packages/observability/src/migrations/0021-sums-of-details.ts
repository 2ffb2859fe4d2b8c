import type { Migration } from '@roadstead/postgres';

/** The aggregate of `added` over many rows. */
export const sumsOfDetails: Migration = {
  id: 21,
  name: 'sums of details',
  sql: 'create aggregate added_up(jsonb) (sfunc = added, stype = jsonb);',
};
