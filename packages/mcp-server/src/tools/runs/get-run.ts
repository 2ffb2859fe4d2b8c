import { z } from 'zod';
import { Run } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { MAX_CHARS, shown } from '../../paging/shown-item-rules.ts';
import { batch, DEFAULT_CHARS, MIN_CHARS, paginate } from '../../paging/pagination-rules.ts';
import { shownItems } from '../../paging/shown-items.ts';
import { textPage } from '../../paging/text-pages.ts';
import { cutPaths } from '../../paging/cut-path-rules.ts';
import { type Path, pathText, readPath, valueAt } from '../../paging/value-path-rules.ts';
import { linkTo } from '../../addresses/address-rules.ts';
import { requiredUuid, text, texts, whole } from '../input-rules.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { tool, type ToolContext, type ToolResult } from '../tool.ts';
import { readRuns } from './run-reader.ts';
import { withoutEmpty } from './run-summary-rules.ts';

const input = z.strictObject({
  run_id: requiredUuid('Id of the run.'),
  selects: texts('Only these fields, such as inputs, outputs, error.'),
  path: text('One value, whole: outputs.messages[-1].content. Long texts and lists have pages.', 300),
  page_number: whole({ min: 1, fallback: 1, doc: 'With path.' }),
  max_chars_per_page: whole({
    min: MIN_CHARS,
    fallback: DEFAULT_CHARS,
    doc: 'Most characters of the answer, up to 30000.',
  }),
  preview_chars: whole({ fallback: 0, doc: 'Where texts are cut; 0: only where it takes it to fit.' }),
});
type Input = z.output<typeof input>;

export const getRun = tool({
  name: 'get_run',
  title: 'Read a run',
  access: 'traces:read',
  description:
    'Reads one run by its id, with inputs, outputs and error. What is too long to fit is cut and named in cut_paths: call again with one of them as path to read that value whole, page by page. The run’s place in its trace: get_trace_tree.',
  input,
  output: {
    run: z.looseObject({ id: z.string() }),
    cut_paths: z.array(z.string()),
    value: z.unknown(),
    page_number: z.int(),
    total_pages: z.int(),
    ...nextOutput,
  },
  run: async (given, context) => {
    const path = given.path === undefined ? undefined : pathOf(given.path);
    const select = fieldsOf(given, path);
    const { runs, is_brief } = await readRuns(
      { id: [given.run_id], limit: 1, ...(select === undefined ? {} : { select }) },
      context,
    );
    const [run] = runs;
    if (run === undefined)
      throw new Problem('not_found', 'There is no run with the id in run_id.', {
        hint: 'search_runs and fetch_runs give ids of runs.',
      });
    if (path !== undefined && is_brief) throw tooLarge(path);
    return path === undefined
      ? wholeRun(run, { ...given, is_brief }, context)
      : partOf(run, { ...given, path }, context);
  },
});

function pathOf(written: string): Path {
  const path = readPath(written);
  if (path === undefined)
    throw new Problem('invalid', 'path is not written as a path is.', {
      hint: 'Such as outputs.messages[3].content, or extra.metadata["a.b"] where a name has dots.',
    });
  return path;
}

const FIELDS = Object.keys(Run.shape);
/** Members that the answer always has. */
const ALWAYS = ['id', 'trace_id'];

function fieldsOf({ selects }: Input, path: Path | undefined): string[] | undefined {
  const [field] = path ?? [];
  const asked = field === undefined ? selects : [String(field)];
  const unknown = asked?.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw new Problem(
      'invalid',
      `${field === undefined ? 'selects names' : 'path begins with'} no field of a run.`,
      {
        hint: `Fields are ${FIELDS.slice(0, 12).join(', ')}, tags, feedback_stats and the others that get_run shows.`,
      },
    );
  return asked === undefined ? undefined : [...new Set([...ALWAYS, ...asked])];
}

const tooLarge = (path: Path) =>
  new Problem('too_large', `${String(path[0])} of this run is too large to be read here.`, {
    hint: 'Leave path out to see what else the run has; inputs_preview and outputs_preview are beginnings.',
  });

interface RunView extends Input {
  readonly is_brief: boolean;
}

function wholeRun(run: Run, given: RunView, { link }: ToolContext): ToolResult {
  const record = withoutEmpty(given.selects === undefined ? withoutRepeats(run) : run);
  const item = [shown(record, given.preview_chars)];
  const note = given.is_brief ? { note: 'The run is too large to be read; its payloads are left out.' } : {};
  const asked = { key: 'runs', ...given, page_number: 1, when_cut: 'What is cut is read whole by path.' };
  const next = nextOf(run);
  const first = batch(item, { ...asked, more: { next, ...note } });
  const paths = cutPaths(record, runIn(first), { most: 12, chars: given.max_chars_per_page / 10 });
  if (paths.length === 0) return answerOf(first);
  link(linkTo('run', { run_id: run.id }));
  // The list of cuts takes room, too.
  const [path] = paths;
  const calls = [nextCall('get_run', { run_id: run.id, path }), ...next];
  return answerOf(batch(item, { ...asked, more: { cut_paths: paths, next: calls, ...note } }));
}

/** Drops members that a run has twice, or that `get_trace_tree` shows. */
function withoutRepeats(run: Run): Run {
  const { child_run_ids: _, direct_child_run_ids: _1, ...brief } = run;
  const { inputs_preview: _2, outputs_preview: _3, ...others } = brief;
  return run.inputs === undefined && run.outputs === undefined ? brief : others;
}

type Page = ReturnType<typeof batch>;
const runIn = (page: Page) => (page['runs'] as readonly unknown[])[0];

function answerOf(page: Page): ToolResult {
  const { runs: _, page_number: _1, total_pages: _2, preview_chars: _3, ...others } = page;
  const run = runIn(page);
  return run === undefined ? others : { run, ...others };
}

function nextOf({ id, trace_id, error, thread_id, session_id }: Run): string[] {
  return [
    ...(trace_id === undefined
      ? []
      : [nextCall('get_trace_tree', error ? { trace_id, errors_only: true } : { trace_id, run_id: id })]),
    ...(thread_id && session_id
      ? [nextCall('get_thread_history', { thread_id, project_name: session_id, page_number: 1 })]
      : []),
  ];
}

interface Part extends Omit<Input, 'path'> {
  readonly path: Path;
}

async function partOf(run: Run, { path, ...given }: Part, { link }: ToolContext): Promise<ToolResult> {
  const found = valueAt(run, path);
  if (!found.found) throw nothingAt(found);
  const { value } = found;
  const max_chars_per_page = Math.min(given.max_chars_per_page, MAX_CHARS);
  const place = { run_id: run.id };
  if (typeof value === 'string') {
    const { page_number } = given;
    const total_chars = value.length;
    // Each page has the same room, whatever its number.
    const frame = { ...place, page_number: MOST_PAGES, total_pages: MOST_PAGES, total_chars, value: '' };
    const room = max_chars_per_page - JSON.stringify(frame).length;
    const page = await textPage(value, { page_number, room });
    return { ...place, page_number, total_pages: page.total_pages, total_chars, value: page.text };
  }
  if (Array.isArray(value)) {
    const items = await shownItems(value, given.preview_chars);
    return paginate(items, { key: 'value', ...given, more: place, when_cut: DEEPER });
  }
  const page = batch([shown(value, given.preview_chars)], {
    key: 'value',
    ...given,
    more: place,
    when_cut: DEEPER,
  });
  const { value: shownValues, page_number: _, total_pages: _1, ...others } = page;
  const [only] = shownValues as readonly unknown[];
  if (page['truncated_fields'] !== 0) link(linkTo('run', { run_id: run.id }));
  return only === undefined ? others : { value: only, ...others };
}

const MOST_PAGES = 99_999_999;
const DEEPER = 'What is cut here has a path of its own, below this one.';

function nothingAt({ until, value }: Extract<ReturnType<typeof valueAt>, { found: false }>): Problem {
  const place = until.length === 0 ? 'The run' : pathText(until);
  const has = Array.isArray(value)
    ? `is a list of ${value.length}`
    : typeof value === 'object' && value !== null
      ? `has ${Object.keys(value).slice(0, 30).join(', ').slice(0, 600) || 'nothing'}`
      : `is ${value === null ? 'null' : `a ${typeof value}`}`;
  return new Problem('not_found', `There is nothing at that path: ${place} ${has}.`, {
    hint: 'Correct path and call again; without path the run is shown with what it has.',
  });
}
