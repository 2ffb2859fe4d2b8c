import type { Migration } from '@roadstead/postgres';

/** Settings for the existing partitions; later ones are created with them. */
export const upkeep: Migration = {
  id: 31,
  name: 'upkeep of partitions',
  sql: `
alter table runs
  alter inputs_preview set statistics 0, alter outputs_preview set statistics 0,
  alter error_preview set statistics 0, alter dotted_order set statistics 0,
  alter prompt_token_details set statistics 0, alter completion_token_details set statistics 0,
  alter prompt_cost_details set statistics 0, alter completion_cost_details set statistics 0,
  alter model set statistics 0;
alter table payloads
  alter inputs set statistics 0, alter outputs set statistics 0, alter events set statistics 0,
  alter extra set statistics 0, alter serialized set statistics 0, alter error set statistics 0;
alter table search
  alter counted set statistics 0, alter metadata set statistics 0, alter io set statistics 0,
  alter workspace_id set statistics 25, alter run_id set statistics 25, alter tier set statistics 25,
  alter week set statistics 25, alter trace_id set statistics 25, alter session_id set statistics 25,
  alter start_time set statistics 25, alter terms set statistics 25, alter words set statistics 25;
do $$
declare one text;
begin
  for one in select parent || '_' || p.tier || '_' || to_char(p.week, 'YYYYMMDD')
    from partitions p, unnest(array['runs', 'payloads', 'search']) as parent
  loop
    execute format('alter table %I set (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0.25)', one);
  end loop;
end $$;
`,
};
