import type { SessionV2, TracerSession } from '@roadstead/contracts/observability';
import { malformed } from '@roadstead/kit';
import { COMPUTED } from '../feedback/feedback-formula-rules.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import { facetFilter } from '../statistics/run-stats-rules.ts';
import type { Medians, SessionFacts } from './session-facts-work.ts';
import { type Facet, type SessionRow, type SessionStats, typeOf } from '../session-records/session-row.ts';

interface KnownOfSession {
  readonly facts?: SessionFacts | undefined;
  readonly facets?: readonly Facet[] | undefined;
}

/** A project as the API answers it: every field is present, null where it is unknown or wasn't asked for. */
export function sessionAnswer(row: SessionRow, { facts, facets }: KnownOfSession = {}): TracerSession {
  const {
    workspace_id,
    num_examples: _1,
    num_repetitions: _2,
    evaluator_keys: _3,
    is_agent: _4,
    ...session
  } = row;
  return {
    ...session,
    start_time: naive(row.start_time) ?? '',
    tenant_id: workspace_id,
    ...statsAnswer(facts?.stats),
    feedback_stats: facts?.feedback ?? null,
    session_feedback_stats: facts?.session_feedback ?? null,
    run_facets:
      facets?.map((facet) => ({ ...facet, query: facetFilter(facet) })) ?? (facts === undefined ? null : []),
    experiment_progress: facts === undefined ? null : progressOf(row, facts),
  };
}

/** The progress of an experiment that announced how many runs to expect. */
function progressOf(
  { num_examples, num_repetitions, evaluator_keys }: SessionRow,
  { stats, feedback }: SessionFacts,
): TracerSession['experiment_progress'] {
  if (num_examples === null) return null;
  const expected_run_count = num_examples * Math.max(num_repetitions ?? 1, 1);
  const share = (count: number) => (expected_run_count === 0 ? 1 : Math.min(1, count / expected_run_count));
  return {
    expected_run_count,
    run_progress: share(stats.run_count),
    evaluator_progress: Object.fromEntries(
      (evaluator_keys ?? []).map((key) => [key, share(feedback[key]?.n ?? 0)]),
    ),
  };
}

/** The answer with only the selected statistics, where any are selected. */
export function withStats<Answer extends object>(
  answer: Answer,
  select: readonly string[] | undefined,
): Answer {
  if (select === undefined || select.length === 0) return answer;
  const wanted = new Set(select.map((name) => name.toLowerCase()));
  if (wanted.has('last_run_start_time')) wanted.add('last_run_start_time_live');
  const left_out = [...Object.keys(statsAnswer(undefined)), 'feedback_stats', 'session_feedback_stats']
    .filter((name) => !wanted.has(name))
    .map((name) => [name, null]);
  return { ...answer, ...Object.fromEntries(left_out) };
}

function statsAnswer(stats: SessionStats | undefined) {
  return {
    run_count: stats?.run_count ?? null,
    latency_p50: stats?.latency_p50 ?? null,
    latency_p99: stats?.latency_p99 ?? null,
    first_token_p50: stats?.first_token_p50 ?? null,
    first_token_p99: stats?.first_token_p99 ?? null,
    error_rate: stats?.error_rate ?? null,
    streaming_rate: stats?.streaming_rate ?? null,
    last_run_start_time: naive(stats?.last_run_start_time),
    last_run_start_time_live: naive(stats?.last_run_start_time),
    prompt_tokens: stats?.prompt_tokens ?? null,
    completion_tokens: stats?.completion_tokens ?? null,
    total_tokens: stats?.total_tokens ?? null,
    prompt_cost: costNumber(stats?.prompt_cost),
    completion_cost: costNumber(stats?.completion_cost),
    total_cost: costNumber(stats?.total_cost),
  };
}

/** The JSON object that the metadata of a listed item must contain. */
export function metadataFilter(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The refusal below covers this text, like any other that is no object.
  }
  throw malformed(['query', 'metadata'], 'is not a JSON object');
}

/** A project as the second generation of the API answers it. */
export function sessionAnswerV2(
  row: SessionRow,
  { medians, ...known }: KnownOfSession & { readonly medians?: Medians | undefined } = {},
): SessionV2 {
  const { trace_tier, ...answer } = sessionAnswer(row, known);
  const { facts } = known;
  return {
    ...answer,
    type: typeOf(row),
    trace_tier:
      trace_tier === 'longlived' ? 'LONG_LIVED' : trace_tier === 'shortlived' ? 'SHORT_LIVED' : null,
    feedback_stats: facts === undefined ? null : feedbackAnswer(facts.feedback, medians?.feedback),
    session_feedback_stats:
      facts === undefined ? null : feedbackAnswer(facts.session_feedback, medians?.session_feedback),
  };
}

const feedbackAnswer = (
  stats: FeedbackStats,
  medians: ReadonlyMap<string, number> | undefined,
): SessionV2['feedback_stats'] =>
  Object.fromEntries(
    Object.entries(stats).map(([key, { comments: _comments, sources, ...one }]) => [
      key,
      {
        ...one,
        median: medians?.get(key) ?? null,
        type: sources.includes(COMPUTED) ? ('COMPOSITE' as const) : ('PRIMARY' as const),
      },
    ]),
  );
