import type { Migration } from '@roadstead/kit';
import { STORAGE, statisticsOf } from '../partitions/upkeep-rules.ts';

/** Of the partitions that there are; later ones are made so. */
export const upkeep: Migration = {
  id: 31,
  name: 'upkeep of partitions',
  sql: `
alter table runs ${statisticsOf('runs')};
alter table payloads ${statisticsOf('payloads')};
alter table search ${statisticsOf('search')};
do $$
declare one text;
begin
  for one in select parent || '_' || p.tier || '_' || to_char(p.week, 'YYYYMMDD')
    from partitions p, unnest(array['runs', 'payloads', 'search']) as parent
  loop
    execute format('alter table %I set (${STORAGE})', one);
  end loop;
end $$;
`,
};
