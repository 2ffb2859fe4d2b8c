import { conditionOf } from '../filters/filter-conditions.ts';
import { passes, type Subject } from '../filters/filter-evaluator.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import type { Fields, Scalar } from '../filters/filter-tree.ts';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { EntryList, walkMembers } from '../search/entry-rules.ts';
import { holdsAll, SortedWords, wordsIn } from '../search/word-rules.ts';
import type { SessionFacts } from './session-facts-work.ts';
import type { SessionRow } from '../session-records/session-row.ts';

/** The filter language over projects, which are few enough to be filtered in memory. */

const sessionFields: Fields = {
  id: { type: 'uuid' },
  name: { type: 'text' },
  description: { type: 'text' },
  start_time: { type: 'instant' },
  end_time: { type: 'instant' },
  last_run_start_time: { type: 'instant' },
  reference_dataset_id: { type: 'uuid' },
  trace_tier: { type: 'text' },
  run_count: { type: 'number' },
  test_run_number: { type: 'number' },
  latency_p50: { type: 'duration' },
  latency_p99: { type: 'duration' },
  error_rate: { type: 'number' },
  total_tokens: { type: 'number' },
  total_cost: { type: 'number' },
  metadata: { type: 'object', family: 'metadata' },
  metadata_key: { type: 'text', family: 'metadata', part: 'key' },
  metadata_value: { type: 'text', family: 'metadata', part: 'value' },
  feedback_key: { type: 'text', family: 'feedback', part: 'key' },
  feedback_score: { type: 'number', family: 'feedback', part: 'score' },
  feedback_source: { type: 'text', family: 'feedback', part: 'source' },
};

export type SessionTest = (row: SessionRow, facts: SessionFacts) => boolean;

/** @throws Problem `invalid` where the text is no filter. */
export function sessionTest(filter: string): SessionTest {
  const condition = conditionOf(parseFilter(filter, { parameter: 'filter', fields: sessionFields }));
  return (row, facts) => passes(condition, subjectOf(row, facts));
}

function subjectOf(row: SessionRow, { stats, feedback, session_feedback }: SessionFacts): Subject {
  const columns: Readonly<Record<string, Scalar>> = {
    id: row.id,
    name: row.name,
    description: row.description,
    start_time: row.start_time,
    end_time: row.end_time,
    last_run_start_time: stats.last_run_start_time,
    reference_dataset_id: row.reference_dataset_id,
    trace_tier: row.trace_tier,
    run_count: stats.run_count,
    test_run_number: row.test_run_number,
    latency_p50: stats.latency_p50,
    latency_p99: stats.latency_p99,
    error_rate: stats.error_rate,
    total_tokens: stats.total_tokens,
    total_cost: stats.total_cost === null ? null : Number(stats.total_cost),
  };
  const metadata = new EntryList('metadata');
  walkMembers(row.extra?.['metadata'] ?? {}, {
    key: (key) => metadata.addKey(key),
    scalar: (key, value) => {
      metadata.add(key, String(value));
      return metadata.takesMore;
    },
  });
  const metadata_pairs = Object.entries(metadata.entries).flatMap(([key, value]) =>
    [value].flat().map((one) => ({ key, value: one })),
  );
  const feedback_pairs = [...feedbackPairs(feedback), ...feedbackPairs(session_feedback)];
  let words: SortedWords | undefined;
  return {
    column: (name) => columns[name] ?? null,
    tags: [],
    pairs: (family) => (family === 'feedback' ? feedback_pairs : family === 'metadata' ? metadata_pairs : []),
    hasKey: (family, key) => family === 'metadata' && metadata.hasKey(key),
    hasWords: (asked) => {
      words ??= new SortedWords(wordsIn(`${row.name} ${row.description ?? ''}`));
      return holdsAll(words, asked);
    },
  };
}

/** The pairs of feedback; the mean represents the scores of a key. */
const feedbackPairs = (stats: FeedbackStats) =>
  Object.entries(stats).flatMap(([key, { avg, sources }]) =>
    (sources.length === 0 ? [null] : sources).map((source) => ({
      key,
      score: avg,
      source: typeof source === 'string' ? source : null,
    })),
  );
