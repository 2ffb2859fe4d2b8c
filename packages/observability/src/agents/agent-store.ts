import { Problem } from '@roadstead/kit';
import { isUniqueViolation, type Queryable } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import { sessionNameOfAgent } from '../session-records/session-store.ts';
import type { AgentRow } from './agent-row.ts';
import type { RowKey } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

const columns = `a.workspace_id, a.id, a.agent_uuid, a.name, a.agent_type, a.source_type, a.owner_id, a.environments,
  ${instantText('a.created_at')} as created_at,
  coalesce((select jsonb_object_agg(s.name, s.id) from unnest(a.environments) e(name)
    join traces.sessions s on s.workspace_id = a.workspace_id and s.name = ${sessionNameOfAgent} and s.deleted_at is null), '{}') as sessions`;

/** @throws Problem `conflict` when the id is taken. */
export async function insertAgent(
  db: Queryable,
  agent: Omit<AgentRow, 'created_at' | 'sessions'>,
): Promise<void> {
  try {
    await db.run(
      `insert into traces.agents (workspace_id, id, agent_uuid, name, agent_type, source_type, owner_id, environments)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        agent.workspace_id,
        agent.id,
        agent.agent_uuid,
        agent.name,
        agent.agent_type,
        agent.source_type,
        agent.owner_id,
        agent.environments,
      ],
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem('conflict', 'An agent with this id already exists.');
  }
}

export async function readAgent(db: Queryable, { workspace_id, id }: RowKey): Promise<AgentRow> {
  const row = await db.maybe<AgentRow>(
    `select ${columns} from traces.agents a where a.workspace_id = $1 and a.id = $2`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

const orders = {
  name: 'lower(a.name)',
  created_at: 'a.created_at',
  last_run_start_time: `(select max(l.start_time) from unnest(a.environments) e(name)
    join traces.sessions s on s.workspace_id = a.workspace_id and s.name = ${sessionNameOfAgent} and s.deleted_at is null
    cross join lateral (select r.start_time from traces.runs r where r.session_id = s.id
      order by r.start_time desc, r.run_id desc limit 1) l)`,
} as const;

export interface AgentFilter {
  readonly workspace_id: string;
  readonly ids?: readonly string[] | undefined;
  /** Text in the name or the id, regardless of case, hyphens and spaces. */
  readonly search?: string | undefined;
  readonly source_type?: string | undefined;
}

const matching = `a.workspace_id = $1 and ($2::text[] is null or a.id = any ($2))
  and ($3::text is null or a.source_type = $3)
  and ($4::text is null or position($4 in lower(translate(a.name, '- ', ''))) > 0
    or position($4 in translate(a.id, '- ', '')) > 0)`;
const filterValues = ({ workspace_id, ids, search, source_type }: AgentFilter) => [
  workspace_id,
  ids ?? null,
  source_type ?? null,
  search?.toLowerCase().replaceAll(/[- ]/g, '') ?? null,
];

export async function listAgents(
  db: Queryable,
  filter: AgentFilter,
  page: OffsetPage & { readonly sort_by: keyof typeof orders; readonly sort_order: 'asc' | 'desc' },
): Promise<AgentRow[]> {
  return db.query<AgentRow>(
    `select ${columns} from traces.agents a where ${matching}
     order by ${orders[page.sort_by]} ${page.sort_order} nulls last, a.id
     limit ${page.limit} offset ${page.offset}`,
    filterValues(filter),
  );
}

export async function countAgents(db: Queryable, filter: AgentFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    `select count(*) as count from traces.agents a where ${matching}`,
    filterValues(filter),
  );
  return count;
}

/** An undefined field stays as it is. */
type AgentChange = {
  readonly [K in 'name' | 'agent_type' | 'source_type' | 'owner_id']?: AgentRow[K] | undefined;
};

export async function updateAgent(
  db: Queryable,
  { workspace_id, id }: RowKey,
  change: AgentChange,
): Promise<void> {
  const changed = await db.run(
    `update traces.agents set name = coalesce($3, name), agent_type = coalesce($4, agent_type),
       source_type = coalesce($5, source_type), owner_id = case when $6 then $7 else owner_id end
     where workspace_id = $1 and id = $2`,
    [
      workspace_id,
      id,
      change.name ?? null,
      change.agent_type ?? null,
      change.source_type ?? null,
      change.owner_id !== undefined,
      change.owner_id ?? null,
    ],
  );
  if (changed === 0) throw noSuch();
}

export async function deleteAgent(db: Queryable, { workspace_id, id }: RowKey): Promise<void> {
  const deleted = await db.run('delete from traces.agents where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (deleted === 0) throw noSuch();
}

const noSuch = () => new Problem('not_found', 'There is no such agent.');
