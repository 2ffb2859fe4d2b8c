import type { sessionsV2 } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { isUuid, malformed, Problem } from '@roadstead/kit';
import { projectNameOf } from '../agents/agent-rules.ts';
import { readOffset, writeOffset } from '../queries/offset-rules.ts';
import { runsMatching } from '../queries/run-query-rules.ts';
import { changeSession, createSession } from './session-change-work.ts';
import type { SessionContext } from './session-context.ts';
import { sessionTest } from './session-filter-rules.ts';
import {
  listSessionsWithFacts,
  needsDigest,
  type SessionListing,
  type SessionSort,
} from './session-list-work.ts';
import { metadataFilter, sessionAnswerV2, withStats } from './session-rules.ts';
import { findSessionByName, readSession } from '../session-records/session-store.ts';

type SessionV2Handlers = Handlers<typeof sessionsV2>;
type ListCall = Parameters<SessionV2Handlers['listSessionsV2']>[0];

/** The project into which clients trace their evaluators. */
const EVALUATORS = 'evaluators';

export function sessionV2Handlers(context: SessionContext): SessionV2Handlers {
  const { db, clock, digest } = context;
  return {
    listSessionsV2: async (call) => list(context, call),
    createSessionV2: async ({ query: { upsert }, body: { type, trace_tier, ...body }, workspace_id }) => {
      if ((type === 'EXPERIMENT') !== (body.reference_dataset_id != null))
        throw new Problem(
          'invalid',
          'An experiment has a reference_dataset_id, and any other tracing project has none.',
        );
      const now = new Date(clock.now()).toISOString();
      const sent = { ...body, trace_tier: tierOf(trace_tier) };
      const is_agent = type === 'AGENT';
      return sessionAnswerV2(await createSession(db, sent, { workspace_id, now, upsert, is_agent }));
    },
    readSessionV2: async ({ params, query: { include_stats, stats_start_time: since }, workspace_id }) => {
      const id = params.session_id;
      await readSession(db, { workspace_id, id });
      if (include_stats) await digest.caughtUp(workspace_id);
      const wanted = { include_stats, include_medians: include_stats, include_facets: false, since };
      const order = { sort_by: 'start_time', descending: true, offset: 0, limit: 1 } as const;
      const [found] = await listSessionsWithFacts(db, { workspace_id, ids: [id] }, { ...wanted, ...order });
      if (found === undefined) throw new Problem('not_found', 'There is no such tracing project.');
      return sessionAnswerV2(found.row, found);
    },
    patchSessionV2: async ({ params, body: { trace_tier, ...body }, workspace_id }) => {
      const sent = { ...body, trace_tier: tierOf(trace_tier) };
      return sessionAnswerV2(await changeSession(db, sent, { workspace_id, id: params.session_id }));
    },
    resolveSession: async ({ query, workspace_id }) => {
      const { kind, id } = query;
      if (kind === 'EXPERIMENT' && id !== undefined && isUuid(id)) {
        const row = await readSession(db, { workspace_id, id });
        if (row.reference_dataset_id !== null) return { session_id: row.id };
      }
      const name =
        kind === 'EVALUATOR'
          ? EVALUATORS
          : kind === 'AGENT' && id !== undefined
            ? projectNameOf(id, query.environment ?? 'PRODUCTION')
            : undefined;
      const found = name === undefined ? undefined : await findSessionByName(db, { workspace_id, name });
      if (found === undefined) throw new Problem('not_found', 'There is no tracing project at this address.');
      return { session_id: found.id };
    },
  };
}

async function list({ db, digest }: SessionContext, { query, workspace_id }: ListCall) {
  const offset = readOffset(query.cursor, 'query');
  const listing: SessionListing = {
    sort_by: sortOf(query),
    descending: query.sort_order === 'desc',
    offset,
    limit: query.page_size + 1,
    include_stats: query.include_stats,
    include_facets: query.include_facets,
    include_medians: query.include_stats,
    since: query.stats_start_time,
    matching: runsMatching(query.stats_filter),
    test: query.filter === undefined ? undefined : sessionTest(query.filter),
  };
  if (query.tag_value_id !== undefined && query.tag_value_id.length > 0)
    return { items: [], next_cursor: null, has_more: false };
  const filter = {
    workspace_id,
    ids: query.id,
    name: query.name,
    name_contains: query.name_contains,
    types: query.type?.length === 0 ? undefined : query.type,
    reference_datasets: query.reference_dataset_id,
    dataset_version: query.dataset_version,
    metadata: metadataFilter(query.metadata),
  };
  if (needsDigest(listing)) await digest.caughtUp(workspace_id);
  const listed = await listSessionsWithFacts(db, filter, listing);
  const has_more = listed.length > query.page_size;
  return {
    items: listed
      .slice(0, query.page_size)
      .map(({ row, ...known }) => withStats(sessionAnswerV2(row, known), query.stats_select)),
    next_cursor: has_more ? writeOffset(offset + query.page_size) : null,
    has_more,
  };
}

const tiers = { LONG_LIVED: 'longlived', SHORT_LIVED: 'shortlived' } as const;
const tierOf = (tier: keyof typeof tiers | null | undefined) => (tier == null ? tier : tiers[tier]);

const sorts = {
  NAME: 'name',
  START_TIME: 'start_time',
  LAST_RUN_START_TIME: 'last_run_start_time',
  ERROR_RATE: 'error_rate',
  LATENCY_P50: 'latency_p50',
  LATENCY_P99: 'latency_p99',
} as const;

function sortOf({
  sort_by,
  sort_by_feedback_key: key,
  sort_by_feedback_source: source,
}: ListCall['query']): SessionSort {
  if (sort_by !== 'FEEDBACK') return sorts[sort_by];
  if (key === undefined) throw malformed(['query', 'sort_by_feedback_key'], 'is required', 'missing');
  return { key, source: source === 'RUN' ? 'run' : 'session' };
}
