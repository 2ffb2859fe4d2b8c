import type { observability } from '@roadstead/contracts/observability';
import { type Handlers, isUuid, malformed, Problem } from '@roadstead/kit';
import { projectNameOf, readOffset, writeOffset } from '../agents/agent-rules.ts';
import { runsMatching } from '../runs/run-query-rules.ts';
import type { SessionContext } from './session-context.ts';
import { sessionTest } from './session-filter-rules.ts';
import {
  listSessionsWithFacts,
  needsDigest,
  type SessionListing,
  type SessionSort,
} from './session-list-work.ts';
import { metadataFilter, sessionAnswerV2, withStats } from './session-rules.ts';
import { findSessionByName, readSession } from './session-store.ts';

type SessionV2Handlers = Pick<Handlers<typeof observability>, 'listSessionsV2' | 'resolveSession'>;
type Query = Parameters<SessionV2Handlers['listSessionsV2']>[0]['query'];

/** Into which clients trace their evaluators. */
const EVALUATORS = 'evaluators';

export function sessionV2Handlers({ db, digest }: SessionContext): SessionV2Handlers {
  return {
    listSessionsV2: async ({ query, workspace_id }) => {
      const offset = readOffset(query.cursor);
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
      const types = new Set(query.type ?? ['PROJECT', 'EXPERIMENT']);
      // The projects of an agent are projects like any other.
      const finds_none = !types.has('PROJECT') && !types.has('EXPERIMENT');
      if (finds_none || (query.tag_value_id !== undefined && query.tag_value_id.length > 0))
        return { items: [], next_cursor: null, has_more: false };
      const filter = {
        workspace_id,
        ids: query.id,
        name: query.name,
        name_contains: query.name_contains,
        reference_free: types.has('PROJECT') && types.has('EXPERIMENT') ? undefined : types.has('PROJECT'),
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

const sorts = {
  NAME: 'name',
  START_TIME: 'start_time',
  LAST_RUN_START_TIME: 'last_run_start_time',
  ERROR_RATE: 'error_rate',
  LATENCY_P50: 'latency_p50',
  LATENCY_P99: 'latency_p99',
} as const;

function sortOf({ sort_by, sort_by_feedback_key: key, sort_by_feedback_source: source }: Query): SessionSort {
  if (sort_by !== 'FEEDBACK') return sorts[sort_by];
  if (key === undefined) throw malformed(['query', 'sort_by_feedback_key'], 'is required', 'missing');
  return { key, source: source === 'RUN' ? 'run' : 'session' };
}
