import { uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { SessionRef } from '../records/run-operation.ts';
import { hasEnoughLonglived } from '../usage/limit-store.ts';
import type { Tier } from '../partitions/week-rules.ts';

/** Finds the projects that runs name at ingestion, and makes the missing ones. */

/** The project of runs that name none; it always exists, since clients learn their workspace from it. */
export const DEFAULT_SESSION = 'default';

interface ResolvedSession {
  readonly id: string;
  readonly tier: Tier;
}

export interface SessionResolver {
  /** The project of a reference; undefined where an id is unknown and no name is given. */
  resolve(workspace_id: string, ref: SessionRef): ResolvedSession | undefined;
  default(workspace_id: string): ResolvedSession;
}

interface SessionEntry {
  readonly workspace_id: string;
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
}
interface WorkspaceSessionRef {
  readonly workspace_id: string;
  readonly ref: SessionRef;
}

/** @param wanted the references, to which a default project for each workspace is added. */
export async function resolveSessions(
  tx: Queryable,
  { wanted, now }: { readonly wanted: readonly WorkspaceSessionRef[]; readonly now: string },
): Promise<SessionResolver> {
  const workspaces = [...new Set(wanted.map((one) => one.workspace_id))];
  const all = [
    ...wanted,
    ...workspaces.map((workspace_id) => ({ workspace_id, ref: { name: DEFAULT_SESSION } })),
  ];
  const first = indexed(await find(tx, all, now));
  const missing = all.filter(
    ({ workspace_id, ref }) => ref.name !== undefined && lookUp(first, workspace_id, ref) === undefined,
  );
  if (missing.length === 0) return resolver(first);
  await insertNamed(tx, missing, now);
  return resolver(indexed(await find(tx, all, now)));
}

function resolver(index: ReadonlyMap<string, SessionEntry>): SessionResolver {
  return {
    resolve: (workspace_id, ref) => lookUp(index, workspace_id, ref),
    default(workspace_id) {
      const found = lookUp(index, workspace_id, { name: DEFAULT_SESSION });
      if (found === undefined) throw new Error('The default project is missing although it was created.');
      return found;
    },
  };
}

const byId = (workspace_id: string, id: string) => `${workspace_id}/id/${id}`;
const byName = (workspace_id: string, name: string) => `${workspace_id}/name/${name}`;

function indexed(rows: readonly SessionEntry[]): Map<string, SessionEntry> {
  return new Map(
    rows.flatMap((row) => [
      [byId(row.workspace_id, row.id), row] as const,
      [byName(row.workspace_id, row.name), row] as const,
    ]),
  );
}

function lookUp(
  index: ReadonlyMap<string, SessionEntry>,
  workspace_id: string,
  ref: SessionRef,
): SessionEntry | undefined {
  const found = ref.id === undefined ? undefined : index.get(byId(workspace_id, ref.id));
  return found ?? (ref.name === undefined ? undefined : index.get(byName(workspace_id, ref.name)));
}

/**
 * A project has the tier that it says; else experiments are kept long, and others as their workspace decided. Nothing is
 * kept long where the workspace has had enough of that this month.
 */
async function find(
  tx: Queryable,
  wanted: readonly WorkspaceSessionRef[],
  now: string,
): Promise<SessionEntry[]> {
  const named = distinct(wanted, (one) => one.ref.name);
  const identified = distinct(wanted, (one) => one.ref.id);
  return tx.query<SessionEntry>(
    `select s.workspace_id, s.id, s.name, case
       when ${hasEnoughLonglived('s.workspace_id', '$5')} then 'shortlived'
       else coalesce(s.trace_tier, case when s.reference_dataset_id is not null then 'longlived' end, (
         select w.default_tier from traces.workspace_settings w where w.workspace_id = s.workspace_id), 'shortlived')
       end as tier
     from traces.sessions s where s.deleted_at is null and (
       (s.workspace_id, s.name) in (select * from unnest($1::uuid[], $2::text[]))
       or (s.workspace_id, s.id) in (select * from unnest($3::uuid[], $4::uuid[])))`,
    [
      named.map(([workspace_id]) => workspace_id),
      named.map(([, name]) => name),
      identified.map(([workspace_id]) => workspace_id),
      identified.map(([, id]) => id),
      now,
    ],
  );
}

/** The order is the same everywhere, so that two processes can't wait for each other. */
async function insertNamed(
  tx: Queryable,
  wanted: readonly WorkspaceSessionRef[],
  now: string,
): Promise<void> {
  const named = distinct(wanted, (one) => one.ref.name).sort(([, a], [, b]) => (a < b ? -1 : 1));
  await tx.run(
    `insert into traces.sessions (workspace_id, id, name, start_time)
     select u.workspace_id, u.id, u.name, $4::timestamptz
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as u(workspace_id, id, name)
     on conflict (workspace_id, name) where deleted_at is null do nothing`,
    [
      named.map(([workspace_id]) => workspace_id),
      named.map(() => uuidv7()),
      named.map(([, name]) => name),
      now,
    ],
  );
}

function distinct(
  wanted: readonly WorkspaceSessionRef[],
  pick: (one: WorkspaceSessionRef) => string | undefined,
): (readonly [workspace_id: string, value: string])[] {
  const pairs = wanted.flatMap((one) => {
    const value = pick(one);
    return value === undefined
      ? []
      : [[`${one.workspace_id}/${value}`, [one.workspace_id, value] as const] as const];
  });
  return [...new Map(pairs).values()];
}
