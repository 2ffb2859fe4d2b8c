import type { Migration } from '@roadstead/kit';

/**
 * Search rows are found by what they hold and by when their runs began, at once: the rows lie in the order in which they
 * came, so that a few bytes for sixteen pages say which times are there. Terms stay in the row, since every row that an
 * index names is looked at.
 */
export const searchByTime: Migration = {
  id: 30,
  name: 'search by time',
  sql: `
create index search_time on search using brin (start_time) with (pages_per_range = 16, autosummarize = on);
alter table search alter column terms set storage main;
`,
};
