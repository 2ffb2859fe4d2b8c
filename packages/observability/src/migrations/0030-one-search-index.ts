import type { Migration } from '@roadstead/postgres';

/**
 * One inverted index over terms and words together, so that a query over both, and over some hours, finds only rows
 * that match all of them. Terms stay in the row: each row that the index names is looked at. All runs are digested
 * again, since the hour at which they began is a term now.
 */
export const oneSearchIndex: Migration = {
  id: 30,
  name: 'one search index',
  sql: `
drop index search_terms;
drop index search_words;
alter table search alter column terms set storage main;
create index search_found on search using gin (terms, words);
insert into changes (workspace_id, tier, week, run_ids)
select workspace_id, tier, week, array_agg(run_id) from (
  select workspace_id, tier, week, run_id,
    row_number() over (partition by workspace_id, tier, week order by start_time desc) / 500 as batch
  from runs
) r group by workspace_id, tier, week, batch order by week desc, batch;
`,
};
