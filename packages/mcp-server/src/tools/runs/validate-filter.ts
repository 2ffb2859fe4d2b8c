import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import { filterFault } from '../filter-fault.ts';
import { requiredText, word } from '../input-rules.ts';
import { nextCall, nextOutput } from '../next-call-rules.ts';
import { toolErrorOf, unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext } from '../tool.ts';

const subjects = ['runs', 'projects', 'examples'] as const;

export const validateFilter = tool({
  name: 'validate_filter',
  title: 'Check a filter',
  access: 'traces:read',
  description:
    'Checks an expression of the filter language without reading anything: where it is wrong and what was likely meant. Runs have fields such as name, run_type, model, status, error, start_time, latency ("3s"), total_tokens, total_cost, tags, metadata.KEY, inputs.KEY, feedback_key with feedback_score; comparators are eq, neq, gt, gte, lt, lte, in, like, has, exists, search("words"), joined by and(), or(), not().',
  input: z.strictObject({
    filter: requiredText('The expression.', 20_000),
    of: word(subjects, 'What it filters: runs unless said.'),
  }),
  output: {
    valid: z.boolean(),
    message: z.string(),
    position: z.int(),
    near: z.string(),
    suggestion: z.string(),
    ...nextOutput,
  },
  run: async ({ filter, of = 'runs' }, context) => {
    const fault = await faultOf(filter, of, context);
    if (fault !== undefined) return { valid: false, ...filterFaultAt(filter, fault) };
    // The caller has to choose the project.
    const next = nextCall('fetch_runs', { project_name: 'PROJECT', filter, limit: 10 });
    return { valid: true, next: of === 'runs' ? [next] : [] };
  },
});

/** The fault of a filter, in a sentence or two; undefined where there is none. */
async function faultOf(
  filter: string,
  of: (typeof subjects)[number],
  context: ToolContext,
): Promise<string | undefined> {
  if (of === 'runs') return runFault(filter, context);
  try {
    await ask(filter, of, context);
    return undefined;
  } catch (error) {
    const fault = error instanceof ApiError ? toolErrorOf(filterFault(error)) : undefined;
    if (fault?.code !== 'invalid_filter') throw error;
    return fault.message;
  }
}

async function ask(
  filter: string,
  of: 'projects' | 'examples',
  { api, signal }: ToolContext,
): Promise<unknown> {
  return of === 'projects'
    ? api.listSessions({ query: { filter, limit: 1 }, signal })
    : api.listExamples({ query: { filter, limit: 1 }, signal });
}

/** A query needs a project; this one is never looked up. */
const SOME_PROJECT = '00000000-0000-0000-0000-000000000000';

async function runFault(filter: string, { api, signal }: ToolContext): Promise<string | undefined> {
  const answer: unknown = await api.validateRunQuery({ body: { session: [SOME_PROJECT], filter }, signal });
  const { valid, errors } = (answer ?? {}) as { readonly valid?: unknown; readonly errors?: unknown };
  if (typeof valid !== 'boolean') throw unexpectedAnswer();
  if (valid) return undefined;
  const [first] = Array.isArray(errors) ? (errors as readonly Readonly<Record<string, unknown>>[]) : [];
  const said = first?.['msg'] ?? first?.['message'];
  return typeof said === 'string' ? said : 'The filter is wrong.';
}

interface FilterFault {
  readonly message: string;
  /** The position in the filter, from 1. */
  readonly position?: number;
  /** The text at this position. */
  readonly near?: string;
  readonly suggestion?: string;
}

const PLACE = / at (?:line (\d+), )?character (\d+)/;
const NEAR = 40;

/** Parses the refusal of a filter into its parts. */
export function filterFaultAt(filter: string, said: string): FilterFault {
  const [place = '', line, column] = PLACE.exec(said) ?? [];
  const end = said.indexOf('. ', said.indexOf(place) + place.length);
  const message = end === -1 ? said : said.slice(0, end + 1);
  const suggestion = end === -1 ? {} : { suggestion: said.slice(end + 2) };
  if (column === undefined) return { message, ...suggestion };
  const before = filter.split('\n').slice(0, Number(line ?? 1) - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  return { message, position: at + 1, near: filter.slice(at, at + NEAR).toWellFormed(), ...suggestion };
}
