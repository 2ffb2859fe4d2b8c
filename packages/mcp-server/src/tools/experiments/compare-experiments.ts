import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import type { TracerSession } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { isTooLarge } from '../../access/answer-reader.ts';
import { names, text, word } from '../input-rules.ts';
import { listAnswer, listInputs, listOutput } from '../list-answers.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { findProjectIds } from '../runs/project-lookup.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext } from '../tool.ts';
import {
  changesOf,
  type ComparedExample,
  type ComparedRow,
  inOrderOfLoss,
  kinds,
  type Measures,
  rowOf,
  shownRow,
} from './comparison-rules.ts';
import { deltasOf, figuresOf } from './experiment-figures-rules.ts';

const MAX_EXPERIMENTS = 5;
const MAX_EXAMPLES = 2000;
const AT_ONCE = 100;

export const compareExperiments = tool({
  name: 'compare_experiments',
  title: 'Compare experiments',
  access: 'datasets:read',
  description:
    'Compares experiments on one dataset with the first of them: feedback, errors, latency, tokens and costs on the whole, and the examples that got worse, those most first, then those that got better. runs of a row stand in the order of experiments; their run_id goes into get_run.',
  input: z.strictObject({
    experiments: names('JSON array of 2 to 5 names or ids, the baseline first.'),
    feedback_key: text('Only by this key of feedback.'),
    show: word([...kinds, 'all'], 'Which examples; the regressed and improved unless said.'),
    ...listInputs(20),
  }),
  output: {
    dataset_id: z.string(),
    experiments: z.array(z.looseObject({ name: z.string(), experiment_id: z.string() })),
    counts: z.looseObject({ regressed: z.int(), improved: z.int(), same: z.int() }),
    rows: z.array(z.looseObject({ example_id: z.string(), kind: z.string() })),
    ...listOutput,
    ...nextOutput,
  },
  run: async (given, context) => {
    const sessions = await readExperiments(given.experiments, context);
    const dataset_id = datasetOf(sessions);
    const measures = {
      experiment_ids: sessions.map(({ id }) => id),
      feedback_key: given.feedback_key,
      lower_is_better: await keysBetterWhenLower(context),
    };
    const { rows, is_cut } = await readRows(dataset_id, measures, context);
    const shown = inOrderOfLoss(rows.filter(({ kind }) => isShown(kind, given.show)));
    const items = shown.slice(given.offset, given.offset + Math.min(given.limit, AT_ONCE));
    return listAnswer({
      key: 'rows',
      items: items.map(shownRow),
      has_more: given.offset + items.length < shown.length,
      offset: given.offset,
      preview_chars: 150,
      more: () => ({
        dataset_id,
        experiments: experimentsOf(sessions, { rows, measures }),
        counts: countsOf(rows),
        ...(is_cut ? { note: `Only the first ${MAX_EXAMPLES} examples are compared.` } : {}),
        next: nextOf(items),
      }),
    });
  },
});

const isShown = (kind: ComparedRow['kind'], show: ComparedRow['kind'] | 'all' | undefined) =>
  show === 'all' || (show === undefined ? kind !== 'same' : kind === show);

async function readExperiments(given: readonly string[], context: ToolContext): Promise<TracerSession[]> {
  const ids = await findProjectIds(given, { ...context, input: 'experiments' });
  if (ids.length < 2 || ids.length > MAX_EXPERIMENTS)
    throw new Problem(
      'invalid',
      `experiments names ${ids.length}; 2 to ${MAX_EXPERIMENTS} can be compared.`,
      {
        hint: 'list_experiments shows the experiments on a dataset.',
      },
    );
  const answer: unknown = await context.api.listSessions({
    query: { id: ids, include_stats: 'true', limit: MAX_EXPERIMENTS },
    signal: context.signal,
  });
  if (!Array.isArray(answer)) throw unexpectedAnswer();
  const byId = new Map((answer as TracerSession[]).map((session) => [session.id, session]));
  return ids.map((id) => byId.get(id) ?? fail());
}

function fail(): never {
  throw unexpectedAnswer();
}

function datasetOf(sessions: readonly TracerSession[]): string {
  const datasets = new Set(sessions.map(({ reference_dataset_id }) => reference_dataset_id ?? undefined));
  const [dataset_id] = datasets;
  if (datasets.size === 1 && dataset_id !== undefined) return dataset_id;
  throw new Problem('invalid', 'experiments are not all experiments on one dataset.', {
    hint: 'list_experiments shows the experiments on a dataset; get_run_stats sums up other projects.',
  });
}

/** A caller who may not read the configuration, or a server that has none, gets the scores as they are. */
async function keysBetterWhenLower({ api, signal }: ToolContext): Promise<ReadonlySet<string>> {
  try {
    const answer: unknown = await api.listFeedbackConfigs({ query: {}, signal });
    const configs = Array.isArray(answer)
      ? (answer as Awaited<ReturnType<typeof api.listFeedbackConfigs>>)
      : [];
    return new Set(configs.flatMap((one) => (one.is_lower_score_better === true ? [one.feedback_key] : [])));
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 501].includes(error.status)) return new Set();
    throw error;
  }
}

const SELECTS = [
  'ID',
  'PROJECT_ID',
  'STATUS',
  'ERROR_PREVIEW',
  'OUTPUTS_PREVIEW',
  'LATENCY_SECONDS',
  'TOTAL_COST',
  'FEEDBACK_STATS',
];

async function readRows(dataset_id: string, measures: Measures, context: ToolContext) {
  const rows: ComparedRow[] = [];
  let page: ExamplePage = { items: [], next_cursor: null, page_size: AT_ONCE };
  do {
    page = await readExamples({ dataset_id, measures, ...page }, context);
    rows.push(...page.items.map((example) => rowOf(example, measures)));
    context.report({ progress: rows.length, message: `Compared ${rows.length} examples.` });
  } while (page.next_cursor !== null && page.items.length > 0 && rows.length < MAX_EXAMPLES);
  return { rows, is_cut: page.next_cursor !== null };
}

interface ExamplePage {
  readonly items: readonly ComparedExample[];
  readonly next_cursor: string | null;
  readonly page_size: number;
}

interface ComparisonQuery extends Pick<ExamplePage, 'next_cursor' | 'page_size'> {
  readonly dataset_id: string;
  readonly measures: Measures;
}

/** Reads fewer where the answer would be too large. */
async function readExamples(
  { dataset_id, measures, next_cursor, page_size: most }: ComparisonQuery,
  { api, signal }: ToolContext,
): Promise<ExamplePage> {
  for (let page_size = most; ; page_size = Math.max(1, Math.floor(page_size / 5))) {
    try {
      const answer: unknown = await api.listExperimentRuns({
        params: { dataset_id },
        body: {
          experiment_ids: [...measures.experiment_ids],
          selects: SELECTS,
          page_size,
          ...(next_cursor === null ? {} : { cursor: next_cursor }),
        },
        signal,
      });
      const page = (answer ?? {}) as { readonly items?: unknown; readonly next_cursor?: string | null };
      if (!Array.isArray(page.items)) throw unexpectedAnswer();
      const items = page.items as readonly ComparedExample[];
      return { items, next_cursor: page.next_cursor ?? null, page_size };
    } catch (error) {
      if (!isTooLarge(error) || page_size === 1) throw error;
    }
  }
}

interface ComparisonRows {
  readonly rows: readonly ComparedRow[];
  readonly measures: Measures;
}

function experimentsOf(sessions: readonly TracerSession[], { rows, measures }: ComparisonRows) {
  const figures = sessions.map((session) => figuresOf(session, measures.feedback_key));
  const [baseline = {}] = figures;
  return sessions.map(({ id, name }, place) => {
    const own = figures[place] ?? {};
    const record = { experiment_id: id, name, ...own };
    if (place === 0) return record;
    return { ...record, delta: deltasOf(baseline, own), examples: changesOf(rows, { measures, place }) };
  });
}

function countsOf(rows: readonly ComparedRow[]) {
  return Object.fromEntries(kinds.map((kind) => [kind, rows.filter((row) => row.kind === kind).length]));
}

/** The first example's result, and its result before. */
function nextOf([worst]: readonly ComparedRow[]): string[] {
  const [before, ...after] = worst?.cells ?? [];
  const now = after.find((cell) => cell !== undefined);
  if (now === undefined) return [];
  return [now, before].flatMap((cell) =>
    cell === undefined ? [] : [nextCall('get_trace_tree', { run_id: cell.run_id })],
  );
}
