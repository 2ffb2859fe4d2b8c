import type { sessions } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { malformed } from '@roadstead/kit';
import { runsMatching } from '../queries/run-query-rules.ts';
import type { SessionContext } from './session-context.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { createSession, sentFields } from './session-change-work.ts';
import { listMetadataValues } from './session-facet-store.ts';
import { readSessionFacts } from './session-facts-work.ts';
import { sessionTest } from './session-filter-rules.ts';
import { listSessionsWithFacts, needsDigest, type SessionListing } from './session-list-work.ts';
import { metadataFilter, sessionAnswer, withStats } from './session-rules.ts';
import {
  ensureDefaultSession,
  markSessionsDeleted,
  readSession,
  type SessionFilter,
  updateSession,
} from '../session-records/session-store.ts';
import type { RowDeletion } from '../values/keys.ts';

type SessionHandlers = Handlers<typeof sessions>;
type CallOf<Name extends keyof SessionHandlers> = Parameters<SessionHandlers[Name]>[0];

export function sessionHandlers(context: SessionContext): SessionHandlers {
  const { db, clock, digest } = context;
  const now = () => new Date(clock.now()).toISOString();
  return {
    listSessions: async (call) => list(context, call, now()),
    createSession: async ({ query, body, workspace_id }) =>
      sessionAnswer(await createSession(db, body, { workspace_id, now: now(), upsert: query.upsert })),
    readSession: async ({ params, query, workspace_id }) => {
      const row = await readSession(db, { workspace_id, id: params.session_id });
      if (query.include_stats) await digest.caughtUp(workspace_id);
      const session_ids = query.include_stats ? [row.id] : [];
      const since = query.stats_start_time;
      const facts = await readSessionFacts(db, { workspace_id, session_ids, since });
      return sessionAnswer(row, { facts: facts.get(row.id) });
    },
    patchSession: async ({ params, body, workspace_id }) =>
      sessionAnswer(await updateSession(db, { workspace_id, id: params.session_id }, sentFields(body))),
    deleteSession: async ({ params, workspace_id }) => {
      await remove(context, { workspace_id, ids: [params.session_id], now: now() });
      return { message: 'The tracing project is deleted.' };
    },
    deleteSessions: async ({ query, workspace_id }) => {
      await remove(context, { workspace_id, ids: query.session_ids, now: now() });
      return { message: 'The tracing projects are deleted.' };
    },
    listSessionMetadata: async ({ params, query, workspace_id }) => {
      const session = { workspace_id, session_id: params.session_id };
      await readSession(db, { workspace_id, id: params.session_id });
      await digest.caughtUp(workspace_id);
      const { metadata_keys: keys, start_time, k: count, root_runs_only } = query;
      const wanted = { keys, start_time, count, root_runs_only };
      const found = await inLimitedTime(db, (tx) => listMetadataValues(tx, session, wanted));
      const values = Map.groupBy(found, (facet) => facet.key);
      return Object.fromEntries(
        [...values].map(([key, facets]) => [key, facets.map((facet) => facet.value)]),
      );
    },
  };
}

async function remove(
  { db, removed }: SessionContext,
  { workspace_id, ids: sent, now }: RowDeletion,
): Promise<void> {
  const ids = [...new Set(sent.map((id) => id.toLowerCase()))];
  await db.transaction((tx) => markSessionsDeleted(tx, { workspace_id, ids, now }));
  for (const id of ids) removed(workspace_id, id);
}

async function list(
  { db, digest }: SessionContext,
  { query, workspace_id }: CallOf<'listSessions'>,
  now: string,
) {
  await ensureDefaultSession(db, { workspace_id, now });
  if (query.tag_value_id !== undefined && query.tag_value_id.length > 0) return [];
  const listing: SessionListing = {
    sort_by: sortOf(query),
    descending: query.sort_by_desc,
    offset: query.offset,
    limit: query.limit,
    include_stats: query.include_stats,
    include_facets: query.facets,
    since: query.stats_start_time,
    matching: runsMatching(query.stats_filter),
    test: query.filter === undefined ? undefined : sessionTest(query.filter),
  };
  if (needsDigest(listing)) await digest.caughtUp(workspace_id);
  const listed = await listSessionsWithFacts(db, filterOf(query, workspace_id), listing);
  return listed.map(({ row, ...known }) => withStats(sessionAnswer(row, known), query.stats_select));
}

function sortOf({
  sort_by,
  sort_by_feedback_key: key,
  sort_by_feedback_source: source,
}: CallOf<'listSessions'>['query']) {
  if (sort_by !== 'feedback') return sort_by;
  if (key === undefined) throw malformed(['query', 'sort_by_feedback_key'], 'is required', 'missing');
  return { key, source };
}

function filterOf(query: CallOf<'listSessions'>['query'], workspace_id: string): SessionFilter {
  return {
    workspace_id,
    ids: query.id,
    name: query.name,
    name_contains: query.name_contains,
    reference_free: query.reference_free,
    reference_datasets: query.reference_dataset,
    dataset_version: query.dataset_version,
    metadata: metadataFilter(query.metadata),
  };
}
