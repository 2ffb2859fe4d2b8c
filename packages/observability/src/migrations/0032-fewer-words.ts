import type { Migration } from '@roadstead/kit';

/**
 * A uuid is one word now, and values stand in the index beside their keys only: all runs are digested anew. Their rows stay
 * in one piece, since what is written beside a row costs as much as the row.
 */
export const fewerWords: Migration = {
  id: 32,
  name: 'fewer words and terms',
  sql: `
do $$
declare p record;
begin
  for p in select tier, week from partitions loop
    execute format('alter table %I set (toast_tuple_target = 8160)',
      'search_' || p.tier || '_' || to_char(p.week, 'YYYYMMDD'));
  end loop;
end $$;
insert into changes (workspace_id, tier, week, run_ids)
select workspace_id, tier, week, array_agg(run_id) from (
  select workspace_id, tier, week, run_id,
    row_number() over (partition by workspace_id, tier, week order by start_time desc) / 500 as batch
  from runs
) r group by workspace_id, tier, week, batch order by week desc, batch;
`,
};
