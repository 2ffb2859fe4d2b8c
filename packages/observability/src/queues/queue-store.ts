import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { QueueId, QueueRow } from './queue-row.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

/** Annotation queues. */

const columns = {
  workspace_id: 'uuid',
  id: 'uuid',
  name: 'text',
  description: 'text',
  queue_type: 'text',
  default_dataset: 'uuid',
  num_reviewers_per_item: 'integer',
  enable_reservations: 'boolean',
  reservation_minutes: 'integer',
  reviewer_access_mode: 'text',
  assigned_reviewers: 'uuid[]',
  rubric_items: 'jsonb',
  rubric_instructions: 'text',
  metadata: 'jsonb',
  source_rule_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies Record<keyof QueueRow, string>;
const names = Object.keys(columns);
const recordset = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
const read = Object.entries(columns)
  .map(([name, type]) => (type === 'timestamptz' ? `${instantText(`q.${name}`)} as ${name}` : `q.${name}`))
  .join(', ');

const noSuch = () => new Problem('not_found', 'There is no such annotation queue.');

/** Inserts a queue; repeating it changes nothing. @throws Problem `conflict` where another queue has the id. */
export async function insertQueue(db: Queryable, row: QueueRow): Promise<QueueRow> {
  await db.run(
    `insert into traces.annotation_queues (${names.join(', ')})
     select ${names.join(', ')} from json_to_record($1::text::json) as j(${recordset})
     on conflict (id, workspace_id) do nothing`,
    [JSON.stringify(row)],
  );
  const stored = await readQueue(db, { workspace_id: row.workspace_id, queue_id: row.id });
  if (stored.name !== row.name)
    throw new Problem('conflict', 'An annotation queue with this id already exists.');
  return stored;
}

/** @throws Problem `not_found`. */
export async function readQueue(db: Queryable, { workspace_id, queue_id }: QueueId): Promise<QueueRow> {
  const row = await db.maybe<QueueRow>(
    `select ${read} from traces.annotation_queues q where q.workspace_id = $1 and q.id = $2`,
    [workspace_id, queue_id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

export type QueueChange = Partial<Omit<QueueRow, 'workspace_id' | 'id' | 'created_at'>>;

/** An undefined field stays as it is. @throws Problem `not_found`. */
export async function updateQueue(
  db: Queryable,
  { workspace_id, queue_id }: QueueId,
  change: QueueChange,
): Promise<QueueRow> {
  const given = names.filter((name) => change[name as keyof QueueChange] !== undefined);
  const row = await db.maybe<QueueRow>(
    `update traces.annotation_queues q set ${given.map((name) => `${name} = j.${name}`).join(', ')}
     from json_to_record($3::text::json) as j(${recordset})
     where q.workspace_id = $1 and q.id = $2 returning ${read}`,
    [workspace_id, queue_id, JSON.stringify(change)],
  );
  if (row === undefined) throw noSuch();
  return row;
}

interface Assignment {
  readonly identity_id: string;
  /** ISO text. */
  readonly now: string;
}

const reassign = `update traces.annotation_queues set updated_at = $4, assigned_reviewers`;

/** Assigns a reviewer; an assigned one keeps their place. @throws Problem `not_found`. */
export async function assignReviewer(
  db: Queryable,
  { workspace_id, queue_id }: QueueId,
  { identity_id, now }: Assignment,
): Promise<void> {
  const changed = await db.run(
    `${reassign} = case when $3::uuid = any (assigned_reviewers) then assigned_reviewers
       else array_append(assigned_reviewers, $3::uuid) end
     where workspace_id = $1 and id = $2`,
    [workspace_id, queue_id, identity_id, now],
  );
  if (changed === 0) throw noSuch();
}

/** @throws Problem `not_found` where the queue isn't there. */
export async function unassignReviewer(
  db: Queryable,
  { workspace_id, queue_id }: QueueId,
  { identity_id, now }: Assignment,
): Promise<void> {
  const changed = await db.run(
    `${reassign} = array_remove(assigned_reviewers, $3::uuid) where workspace_id = $1 and id = $2`,
    [workspace_id, queue_id, identity_id, now],
  );
  if (changed === 0) throw noSuch();
}

/** Deletes queues with all of their items. @throws Problem `not_found` where one of them does not exist. */
export async function deleteQueues(
  db: Queryable,
  { workspace_id, queue_ids }: InWorkspace & { readonly queue_ids: readonly string[] },
): Promise<void> {
  const gone = await db.run(
    `delete from traces.annotation_queues where workspace_id = $1 and id = any ($2::uuid[])
       and (select count(*) from traces.annotation_queues where workspace_id = $1 and id = any ($2::uuid[]))
         = cardinality($2::uuid[])`,
    [workspace_id, queue_ids],
  );
  if (gone !== queue_ids.length) throw noSuch();
}

/** A filter; an undefined field does not narrow it. */
export interface QueueFilter {
  readonly workspace_id: string;
  readonly ids?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly name_contains?: string | undefined;
  readonly dataset_id?: string | undefined;
  readonly queue_type?: string | undefined;
  readonly reviewer_id?: string | undefined;
  readonly run_id?: string | undefined;
}

const conditions = {
  workspace_id: (p) => `q.workspace_id = ${p}`,
  ids: (p) => `q.id = any (${p}::uuid[])`,
  name: (p) => `q.name = ${p}`,
  name_contains: (p) => `position(lower(${p}) in lower(q.name)) > 0`,
  dataset_id: (p) => `q.default_dataset = ${p}`,
  queue_type: (p) => `q.queue_type = ${p}`,
  reviewer_id: (p) => `${p}::uuid = any (q.assigned_reviewers)`,
  run_id: (p) => `exists (select from traces.annotation_queue_items i
    where i.run_id = ${p} and i.queue_id = q.id and i.workspace_id = q.workspace_id)`,
} as const satisfies Record<keyof QueueFilter, (parameter: string) => string>;

const sorted = { name: 'q.name collate "C"', created_at: 'q.created_at', updated_at: 'q.updated_at' };

export interface QueuePage extends OrderedPage {
  readonly sort_by: keyof typeof sorted;
}

/** Lists queues with the number of runs in each. */
export async function listQueues(
  db: Queryable,
  filter: QueueFilter,
  { sort_by, descending, limit, offset }: QueuePage,
): Promise<(QueueRow & { readonly total_runs: number })[]> {
  const given = (Object.keys(conditions) as (keyof QueueFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const direction = descending ? 'desc' : 'asc';
  return db.query(
    `select ${read}, (select count(*) from traces.annotation_queue_items i
       where i.queue_id = q.id and i.workspace_id = q.workspace_id and i.item_type = 'RUN') as total_runs
     from traces.annotation_queues q
     where ${given.map((name, index) => conditions[name](`$${index + 1}`)).join(' and ')}
     order by ${sorted[sort_by]} ${direction}, q.id ${direction} limit ${limit} offset ${offset}`,
    given.map((name) => filter[name]),
  );
}
