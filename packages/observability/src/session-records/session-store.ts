import { Problem } from '@roadstead/kit';
import { isUniqueViolation, type Queryable, type Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import { DEFAULT_SESSION, resolveSessions } from './session-resolver-store.ts';
import type { SessionRow, SessionType } from './session-row.ts';
import type { InWorkspace, RowDeletion, RowKeys } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

/** Tracing projects. A deleted one keeps its row until its runs are gone, but no query here finds it. */

/** The project of an agent's environment, in SQL over `a` and `e`. */
export const sessionNameOfAgent = `a.id || '/' || lower(e.name)`;
/** SQL: whether a project is an agent's; also one that was made as such, whether or not the agent exists. */
const isAgent = (
  s: string,
) => `(${s}.is_agent or exists (select from traces.agents a, unnest(a.environments) e(name)
    where a.workspace_id = ${s}.workspace_id and a.id = split_part(${s}.name, '/', 1) and ${s}.name = ${sessionNameOfAgent}))`;
const columnsOf = (
  s: string,
) => `workspace_id, id, name, description, extra, ${instantText('start_time')} as start_time,
  ${instantText('end_time')} as end_time, default_dataset_id, reference_dataset_id, trace_tier, ${isAgent(s)} as is_agent, num_examples, num_repetitions,
  evaluator_keys, kicked_off_by, test_run_number`;
const columns = columnsOf('sessions');

const noSuch = () => new Problem('not_found', 'There is no such tracing project.');

type SessionId = Pick<SessionRow, 'workspace_id' | 'id'>;

/** @throws Problem `not_found`, also where it belongs to another workspace. */
export async function readSession(db: Queryable, { workspace_id, id }: SessionId): Promise<SessionRow> {
  const row = await db.maybe<SessionRow>(
    `select ${columns} from traces.sessions where workspace_id = $1 and id = $2 and deleted_at is null`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

export async function findSessionByName(
  db: Queryable,
  { workspace_id, name }: Pick<SessionRow, 'workspace_id' | 'name'>,
): Promise<SessionRow | undefined> {
  return db.maybe<SessionRow>(
    `select ${columns} from traces.sessions where workspace_id = $1 and name = $2 and deleted_at is null`,
    [workspace_id, name],
  );
}

/** @throws Problem `not_found` when none of them exists. */
export async function requireSessions(db: Queryable, { workspace_id, ids }: RowKeys): Promise<void> {
  const [found] = await db.query(
    `select from traces.sessions where workspace_id = $1 and id = any ($2::uuid[]) and deleted_at is null limit 1`,
    [workspace_id, ids],
  );
  if (found === undefined) throw noSuch();
}

/**
 * Inserts a project; experiments of a dataset are numbered one after the other, by a lock that is held until the
 * transaction ends.
 * @throws Problem `conflict` when the id or the name is taken.
 */
export async function insertSession(
  tx: Transaction,
  row: Omit<SessionRow, 'test_run_number'>,
): Promise<SessionRow> {
  if (row.reference_dataset_id !== null)
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended('roadstead.traces.experiments ' || $1, 0))`,
      [row.reference_dataset_id.toLowerCase()],
    );
  try {
    return await tx.one<SessionRow>(
      `insert into traces.sessions (workspace_id, id, name, description, extra, start_time, end_time,
         default_dataset_id, reference_dataset_id, trace_tier, num_examples, num_repetitions, evaluator_keys,
         kicked_off_by, is_agent, test_run_number)
       values ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9::uuid, $10, $11, $12, $13, $14, $15, case when $9::uuid is not null then (
         select coalesce(max(s.test_run_number), 0) + 1 from traces.sessions s
         where s.workspace_id = $1 and s.reference_dataset_id = $9::uuid) end)
       returning ${columns}`,
      [
        row.workspace_id,
        row.id,
        row.name,
        row.description,
        row.extra === null ? null : JSON.stringify(row.extra),
        row.start_time,
        row.end_time,
        row.default_dataset_id,
        row.reference_dataset_id,
        row.trace_tier,
        row.num_examples,
        row.num_repetitions,
        row.evaluator_keys,
        row.kicked_off_by,
        row.is_agent,
      ],
    );
  } catch (error) {
    throw taken(error);
  }
}

export type SessionChange = Partial<
  Pick<SessionRow, 'name' | 'description' | 'extra' | 'end_time' | 'default_dataset_id' | 'trace_tier'>
>;

/** Absent and null fields stay as they are. @throws Problem `not_found`, or `conflict` when the name is taken. */
export async function updateSession(
  db: Queryable,
  { workspace_id, id }: SessionId,
  change: { readonly [K in keyof SessionChange]?: SessionChange[K] | null | undefined },
): Promise<SessionRow> {
  try {
    const row = await db.maybe<SessionRow>(
      `update traces.sessions set name = coalesce($3, name), description = coalesce($4, description),
         extra = coalesce($5::text::jsonb, extra), end_time = coalesce($6::timestamptz, end_time),
         default_dataset_id = coalesce($7::uuid, default_dataset_id), trace_tier = coalesce($8, trace_tier)
       where workspace_id = $1 and id = $2 and deleted_at is null returning ${columns}`,
      [
        workspace_id,
        id,
        change.name ?? null,
        change.description ?? null,
        change.extra === undefined || change.extra === null ? null : JSON.stringify(change.extra),
        change.end_time ?? null,
        change.default_dataset_id ?? null,
        change.trace_tier ?? null,
      ],
    );
    if (row === undefined) throw noSuch();
    return row;
  } catch (error) {
    throw taken(error);
  }
}

/** @throws Problem `not_found` */
export async function lockSession(tx: Transaction, { workspace_id, id }: SessionId): Promise<SessionRow> {
  const row = await tx.maybe<SessionRow>(
    `select ${columns} from traces.sessions where workspace_id = $1 and id = $2 and deleted_at is null for update`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** Replaces all changeable fields of a project, also by null. @throws Problem `conflict` when the name is taken. */
export async function replaceSession(tx: Transaction, row: SessionRow): Promise<SessionRow> {
  try {
    return await tx.one<SessionRow>(
      `update traces.sessions set name = $3, description = $4, extra = $5::text::jsonb, end_time = $6,
         default_dataset_id = $7, trace_tier = $8
       where workspace_id = $1 and id = $2 returning ${columns}`,
      [
        row.workspace_id,
        row.id,
        row.name,
        row.description,
        row.extra === null ? null : JSON.stringify(row.extra),
        row.end_time,
        row.default_dataset_id,
        row.trace_tier,
      ],
    );
  } catch (error) {
    throw taken(error);
  }
}

function taken(error: unknown): unknown {
  if (isUniqueViolation(error, 'sessions_name'))
    return new Problem('conflict', 'A tracing project with this name already exists.', { cause: error });
  if (isUniqueViolation(error))
    return new Problem('conflict', 'A tracing project with this id already exists.', { cause: error });
  return error;
}

/**
 * Hides projects from every reader at once; `session-removal-loop.ts` removes their runs afterwards.
 * @throws Problem `not_found` when one of them does not exist; then no project is deleted.
 */
export async function markSessionsDeleted(
  tx: Transaction,
  { workspace_id, ids, now }: RowDeletion,
): Promise<void> {
  const marked = await tx.query(
    `with marked as (
       update traces.sessions set deleted_at = $3
       where workspace_id = $1 and id = any ($2::uuid[]) and deleted_at is null returning id, workspace_id
     ), unqueued as (
       delete from traces.annotation_queue_items i using marked m
       where i.session_id = m.id and i.workspace_id = m.workspace_id
     )
     select from marked`,
    [workspace_id, ids, now],
  );
  if (marked.length !== ids.length) throw noSuch();
}

export interface SessionFilter {
  readonly workspace_id: string;
  readonly ids?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly name_contains?: string | undefined;
  readonly reference_free?: boolean | undefined;
  /** The types of which a project must have one. */
  readonly types?: readonly SessionType[] | undefined;
  readonly reference_datasets?: readonly string[] | undefined;
  /** The required value of `extra.metadata.dataset_version`. */
  readonly dataset_version?: string | undefined;
  /** Members that `extra.metadata` must contain. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface SessionOrder extends OrderedPage {
  readonly sort_by: 'name' | 'start_time';
}

/** A page of the projects that match. */
export async function listSessions(
  db: Queryable,
  filter: SessionFilter,
  { sort_by, descending, offset, limit }: SessionOrder,
): Promise<SessionRow[]> {
  const { condition, values } = conditionOf(filter);
  const sorted = sort_by === 'name' ? 'name collate "C"' : 's.start_time';
  const direction = descending ? 'desc' : 'asc';
  return db.query<SessionRow>(
    `select ${columnsOf('s')} from traces.sessions s where ${condition}
     order by ${sorted} ${direction}, id ${direction} limit ${limit} offset ${offset}`,
    values,
  );
}

/** The ids of all projects that match. */
export async function listSessionIds(db: Queryable, filter: SessionFilter): Promise<string[]> {
  const { condition, values } = conditionOf(filter);
  const rows = await db.query<{ id: string }>(
    `select id from traces.sessions s where ${condition} order by id`,
    values,
  );
  return rows.map((row) => row.id);
}

/** The existing ones of these projects, in the order of the ids. */
export async function readSessions(db: Queryable, { workspace_id, ids }: RowKeys): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select ${columnsOf('s')} from unnest($2::uuid[]) with ordinality as u(wanted, place)
     join traces.sessions s on s.id = u.wanted and s.workspace_id = $1 and s.deleted_at is null order by place`,
    [workspace_id, ids],
  );
}

/** The type of the project `s`, in SQL. */
const typeInSql = `case when s.reference_dataset_id is not null then 'EXPERIMENT' when ${isAgent('s')} then 'AGENT' else 'PROJECT' end`;

function conditionOf({ workspace_id, ...filter }: SessionFilter) {
  const values: unknown[] = [workspace_id];
  const conditions = ['s.workspace_id = $1', 's.deleted_at is null'];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((p) => `s.id = any (${p}::uuid[])`, filter.ids);
  add((p) => `s.name = ${p}`, filter.name);
  add(
    (p) => `s.name ilike ${p}`,
    filter.name_contains && `%${filter.name_contains.replaceAll(/[%_\\]/g, String.raw`\$&`)}%`,
  );
  add((p) => `(s.reference_dataset_id is null) = ${p}`, filter.reference_free);
  add((p) => `${typeInSql} = any (${p}::text[])`, filter.types);
  add((p) => `s.reference_dataset_id = any (${p}::uuid[])`, filter.reference_datasets);
  add((p) => `s.extra->'metadata'->>'dataset_version' = ${p}`, filter.dataset_version);
  add((p) => `s.extra->'metadata' @> ${p}::text::jsonb`, filter.metadata && JSON.stringify(filter.metadata));
  return { condition: conditions.join(' and '), values };
}

/** Makes sure that a project exists, since clients learn their workspace from its projects. */
export async function ensureDefaultSession(
  db: Queryable,
  { workspace_id, now }: InWorkspace & { readonly now: string },
): Promise<void> {
  const [any] = await db.query(
    'select from traces.sessions where workspace_id = $1 and deleted_at is null limit 1',
    [workspace_id],
  );
  if (any === undefined)
    await resolveSessions(db, { wanted: [{ workspace_id, ref: { name: DEFAULT_SESSION } }], now });
}
