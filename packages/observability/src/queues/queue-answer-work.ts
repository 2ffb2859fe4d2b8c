import { feedbackAnswer } from '../feedback/feedback-answer-rules.ts';
import { listFeedback } from '../feedback/feedback-store.ts';
import type { Members } from '../reading/json-answer.ts';
import { runMembers, type Selection, selectionOf } from '../reading/run-answer-rules.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import type { StagedItem } from './queue-row.ts';
import { queuedFields } from './queue-rules.ts';
import { runsById } from './queue-work.ts';

/** Reads the runs of a queue. A run that is removed meanwhile is left out. */

/** The runs as lists and single entries show them. */
export async function queuedRuns(
  reader: RunReader,
  items: readonly StagedItem[],
  { selection }: { readonly selection: Selection },
): Promise<Members[]> {
  const ids = items.flatMap((item) => item.run_id ?? []);
  const workspace_id = items[0]?.workspace_id ?? '';
  const runs = await runsById(reader.db, { workspace_id, ids });
  const there = items.filter((item) => runs.has(item.run_id ?? ''));
  const rows = there.flatMap((item) => runs.get(item.run_id ?? '') ?? []);
  const records = await readRecords(reader, rows, selection);
  return records.flatMap((record, index) => {
    const item = there[index];
    return item === undefined ? [] : [[...runMembers(record, selection), ...membersOf(queuedFields(item))]];
  });
}

const exported = selectionOf([
  'name',
  'start_time',
  'end_time',
  'session_id',
  'trace_id',
  'inputs',
  'outputs',
  'error',
]);
const MAX_FEEDBACK = 10_000;

/** The runs with their feedback; its authors only where they are asked for. */
export async function exportedRuns(
  reader: RunReader,
  items: readonly StagedItem[],
  { include_annotator_detail }: { readonly include_annotator_detail: boolean },
): Promise<Members[]> {
  const [first] = items;
  if (first === undefined) return [];
  const run_ids = items.flatMap((item) => item.run_id ?? []);
  const { workspace_id } = first;
  const page = { limit: MAX_FEEDBACK, offset: 0 };
  const feedback = Map.groupBy(
    await listFeedback(reader.db, { workspace_id, run_ids }, page),
    (one) => one.run_id,
  );
  const runs = await queuedRuns(reader, items, { selection: exported });
  return runs.map((members) => {
    const id = members.find(([name]) => name === 'id')?.[1];
    const run_id = id !== undefined && 'value' in id ? String(id.value) : '';
    const said = (feedback.get(run_id) ?? []).map((one) => {
      const { feedback_source, ...answer } = feedbackAnswer(one);
      return include_annotator_detail ? { ...answer, feedback_source } : answer;
    });
    const shown = members.filter(
      ([name]) => include_annotator_detail || !/^(reserved|completed)_by$/.test(name),
    );
    return [...shown, ['feedback', { value: said }]];
  });
}

const membersOf = (fields: Readonly<Record<string, unknown>>): Members =>
  Object.entries(fields).map(([name, value]) => [name, { value }]);
