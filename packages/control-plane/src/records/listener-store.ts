import { ALL_WORKSPACES } from '@roadstead/contracts';
import type { ComputeType, Listener } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { Candidate } from '../specs/listener-choice-rules.ts';
import type { RowKey } from './keys.ts';

/** Measured by the database's clock. */
export const LEASE_S = 45;

export const listenerColumns = `id, compute_type, compute_id, compute_config, version, capabilities, isolation, resource_limits,
  served_namespaces, last_seen_at, lease_expires_at, created_at, updated_at`;

/** The `compute_id` of the platform's own listener. */
const EMBEDDED = 'embedded';

/** The platform's own listener exists from the start; it serves all workspaces. */
export async function ensureEmbeddedListener(db: Queryable, id: string): Promise<void> {
  await db.run(
    `insert into listeners (id, workspace_id, compute_type, compute_id, capabilities)
     values ($1, $2, 'process', $3, '{archive}') on conflict (id) do nothing`,
    [id, ALL_WORKSPACES, EMBEDDED],
  );
}

/** The listeners that serve a workspace. */
export async function listListeners(
  db: Queryable,
  workspace_id: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<Listener[]> {
  return db.query<Listener>(
    `select ${listenerColumns} from listeners where workspace_id in ($1, $2)
     order by created_at desc, id desc limit $3 offset $4`,
    [workspace_id, ALL_WORKSPACES, page.limit, page.offset],
  );
}

/** The listeners that may run a new deployment of a workspace, oldest first. */
export async function listCandidates(db: Queryable, workspace_id: string): Promise<Candidate[]> {
  return db.query<Candidate>(
    `select id, compute_type, compute_id, compute_config, capabilities, served_namespaces, workspace_id = $1 as is_own
     from listeners where workspace_id in ($1, $2) order by created_at, id`,
    [workspace_id, ALL_WORKSPACES],
  );
}

/** Where a deployment runs. */
export async function readComputeType(db: Queryable, deployment_id: string): Promise<ComputeType> {
  const { compute_type } = await db.one<{ compute_type: ComputeType }>(
    'select l.compute_type from assignments a join listeners l on l.id = a.listener_id where a.deployment_id = $1',
    [deployment_id],
  );
  return compute_type;
}

/** Throws `not_found`. */
export async function readListener(db: Queryable, { workspace_id, id }: RowKey): Promise<Listener> {
  const found = await db.maybe<Listener>(
    `select ${listenerColumns} from listeners where id = $1 and workspace_id in ($2, $3)`,
    [id, workspace_id, ALL_WORKSPACES],
  );
  if (found === undefined) throw noListener();
  return found;
}

/**
 * A listener acts for itself only: its key must belong to the listener's own workspace. Answers its generation. Throws
 * `not_found` for another caller.
 */
export async function readGeneration(db: Queryable, { workspace_id, id }: RowKey): Promise<number> {
  const found = await db.maybe<{ generation: number }>(
    'select generation from listeners where id = $1 and workspace_id = $2',
    [id, workspace_id],
  );
  if (found === undefined) throw noListener();
  return found.generation;
}

/** What is absent stays as it is known. A report of capabilities is whole: without namespaces there are none. */
export interface ListenerReport {
  readonly version?: string | undefined;
  readonly isolation?: string | undefined;
  readonly resource_limits?: string | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly compute_type?: string | undefined;
  readonly served_namespaces?: readonly string[] | undefined;
}

/** Records that a listener was heard of, and what it says of itself; numbers begin at `$3`. */
export const listenerNews = `lease_expires_at = now() + make_interval(secs => ${LEASE_S}), last_seen_at = now(),
  version = coalesce($3, version), isolation = coalesce($4, isolation),
  capabilities = coalesce($5::text[], capabilities), resource_limits = coalesce($6, resource_limits),
  compute_type = case when compute_id = '${EMBEDDED}' and workspace_id = '${ALL_WORKSPACES}'
    then coalesce($7, compute_type) else compute_type end,
  served_namespaces = case when $5::text[] is null then served_namespaces else coalesce($8::text[], '{}') end`;

export const newsValues = (report: ListenerReport) => [
  report.version ?? null,
  report.isolation ?? null,
  report.capabilities ?? null,
  report.resource_limits ?? null,
  report.compute_type ?? null,
  report.served_namespaces ?? null,
];

/**
 * Deployments that were made before their data plane said what it serves stay in the namespace that they name, else in the first that their listener is
 * bound to and that is served, else in the first that it is bound to; in the first that is served where it is bound to none.
 */
export async function placeUnplaced(db: Queryable, listener_id: string): Promise<void> {
  await db.run(
    `update assignments a set namespace = coalesce(
       d.source_config -> 'listener_config' ->> 'cluster_namespace',
       (select bound.name from jsonb_array_elements_text(case jsonb_typeof(l.compute_config -> 'cluster_namespaces')
            when 'array' then l.compute_config -> 'cluster_namespaces' else '[]' end) with ordinality as bound (name, place)
          order by bound.name = any (coalesce(l.served_namespaces, '{}')) desc, bound.place limit 1),
       l.served_namespaces[1])
     from deployments d, listeners l
     where l.id = $1 and a.listener_id = l.id and d.id = a.deployment_id and l.compute_type = 'cluster' and a.namespace is null`,
    [listener_id],
  );
}

/** The database's clock with all its digits, as a text of PostgreSQL. */
export async function readClock(db: Queryable): Promise<string> {
  return (await db.one<{ now: string }>('select clock_timestamp()::text as now')).now;
}

/** Whether the listener holds its lease, and has polled since `since` (a text of PostgreSQL). */
export async function isListening(
  db: Queryable,
  { id, since = '-infinity' }: { readonly id: string; readonly since?: string },
): Promise<boolean> {
  const row = await db.maybe(
    'select id from listeners where id = $1 and lease_expires_at > now() and last_seen_at >= $2::timestamptz',
    [id, since],
  );
  return row !== undefined;
}

/**
 * The next number of a listener's counter. The row stays locked until the commit, so that a smaller number never
 * becomes visible later.
 */
export function drawGeneration(tx: Transaction, id: string): Promise<number> {
  return drawGenerations(tx, { id, count: 1 });
}

/** As many of them at once; answers the last. */
export async function drawGenerations(
  tx: Transaction,
  { id, count }: { readonly id: string; readonly count: number },
): Promise<number> {
  const row = await tx.one<{ generation: number }>(
    'update listeners set generation = generation + $2 where id = $1 returning generation',
    [id, count],
  );
  return row.generation;
}

/** The next fence of a listener: larger than each before. */
export async function drawFence(tx: Transaction, id: string): Promise<number> {
  const row = await tx.one<{ fence: number }>(
    'update listeners set fence = fence + 1 where id = $1 returning fence',
    [id],
  );
  return row.fence;
}

/** Keeps the counters of a listener as they are until the transaction ends. */
export async function lockListener(tx: Transaction, id: string): Promise<void> {
  await tx.run('select from listeners where id = $1 for no key update', [id]);
}

function noListener(): Problem {
  return new Problem('not_found', 'There is no such listener for this key.');
}
