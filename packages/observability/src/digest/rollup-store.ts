import type { UnderLock } from '@roadstead/postgres';
import type { PartitionKey } from '../partitions/week-rules.ts';
import { mergedRollup, type Rollup, type RollupChange } from './rollup-rules.ts';
import type { InWorkspace } from '../values/keys.ts';

const columns = {
  run_count: 'bigint',
  error_count: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  total_tokens: 'bigint',
  prompt_cost_count: 'bigint',
  completion_cost_count: 'bigint',
  total_cost_count: 'bigint',
  prompt_cost: 'numeric',
  completion_cost: 'numeric',
  total_cost: 'numeric',
  latency: 'jsonb',
  first_token: 'jsonb',
} as const satisfies Record<keyof Rollup, string>;
const names = Object.keys(columns);

/** The columns of `Rollup`. */
export const rollupColumns = names.join(', ');

interface Key {
  readonly session_id: string;
  readonly day: string;
}

/** Adds the changes to the rollups of one workspace and partition; a rollup that becomes empty is removed. */
export async function addToRollups(
  tx: UnderLock<'digest'>,
  partition: PartitionKey & InWorkspace,
  { changes }: { readonly changes: readonly RollupChange[] },
): Promise<void> {
  if (changes.length === 0) return;
  const { workspace_id, tier, week } = partition;
  const where = [workspace_id, tier, week];
  const stored = await tx.query<Rollup & Key>(
    `select session_id, day, ${names.join(', ')} from traces.rollups
     where workspace_id = $1 and tier = $2 and week = $3
       and (session_id, day) in (select * from unnest($4::uuid[], $5::date[]))`,
    [...where, changes.map((one) => one.session_id), changes.map((one) => one.day)],
  );
  const before = new Map(stored.map((row) => [keyOf(row), row]));
  const after = changes.map(({ session_id, day, change }) => {
    const found = before.get(keyOf({ session_id, day }));
    return { session_id, day, ...(found === undefined ? change : mergedRollup([found, change])) };
  });
  await tx.run(
    `insert into traces.rollups (workspace_id, tier, week, session_id, day, ${names.join(', ')})
     select $1::uuid, $2::text, $3::date, session_id, day, ${names.join(', ')}
     from json_to_recordset($4::text::json) as j(session_id uuid, day date, ${Object.entries(columns)
       .map(([name, type]) => `${name} ${type}`)
       .join(', ')})
     on conflict (session_id, workspace_id, tier, week, day) do update set
       ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [...where, JSON.stringify(after)],
  );
  const empty = after.filter((row) => row.run_count === 0);
  if (empty.length === 0) return;
  await tx.run(
    `delete from traces.rollups where workspace_id = $1 and tier = $2 and week = $3
       and (session_id, day) in (select * from unnest($4::uuid[], $5::date[]))`,
    [...where, empty.map((row) => row.session_id), empty.map((row) => row.day)],
  );
}

const keyOf = ({ session_id, day }: Key) => `${session_id}/${day}`;
