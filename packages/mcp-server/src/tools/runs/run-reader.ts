import { Run, type RunQuery } from '@roadstead/contracts/observability';
import { isTooLarge } from '../../access/answer-reader.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';

/** The API's limit for one call. */
const MAX_AT_ONCE = 100;

/** Members that are left out of a run that is too large to be read. */
const PAYLOADS: ReadonlySet<string> = new Set([
  'inputs',
  'outputs',
  'events',
  'extra',
  'serialized',
  'error',
]);
const BRIEF = Object.keys(Run.shape).filter((name) => !PAYLOADS.has(name));

interface ReadRuns {
  readonly runs: Run[];
  readonly next: string | null;
  /** The limit that was finally used. */
  readonly limit: number;
  /** Whether the payloads had to be left out. */
  readonly is_brief: boolean;
}

/** The runs of a query; where the answer is too large fewer, and a single one without its payloads. */
export async function readRuns(
  query: RunQuery & { readonly limit: number },
  context: ToolContext,
): Promise<ReadRuns> {
  for (let limit = query.limit; ; limit = Math.max(1, Math.floor(limit / 5))) {
    try {
      return { ...(await askForRuns({ ...query, limit }, context)), limit, is_brief: false };
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (limit > 1) continue;
      const select = query.select?.filter((name) => !PAYLOADS.has(name)) ?? BRIEF;
      const read = await askForRuns({ ...query, limit, select: ['id', ...select] }, context);
      return { ...read, limit, is_brief: true };
    }
  }
}

/** All runs of a query, up to a limit, page by page. */
export async function* eachPageOfRuns(
  query: RunQuery,
  most: number,
  context: ToolContext,
): AsyncGenerator<{ readonly runs: Run[]; readonly has_more: boolean }> {
  let cursor: string | null = null;
  let at_once = MAX_AT_ONCE;
  let left = most;
  do {
    const limit = Math.min(left, at_once);
    const read = await readRuns({ ...query, limit, ...(cursor === null ? {} : { cursor }) }, context);
    at_once = Math.min(at_once, read.limit);
    left -= read.runs.length;
    cursor = read.runs.length === 0 ? null : read.next;
    yield { runs: read.runs, has_more: cursor !== null };
  } while (cursor !== null && left > 0);
}

async function askForRuns(
  body: RunQuery,
  { api, signal }: ToolContext,
): Promise<{ runs: Run[]; next: string | null }> {
  const answer: Partial<Awaited<ReturnType<typeof api.queryRuns>>> | undefined = await api.queryRuns({
    body,
    signal,
  });
  if (!Array.isArray(answer?.runs)) throw unexpectedAnswer();
  return { runs: answer.runs, next: answer.cursors?.next ?? null };
}
