import { z } from 'zod';
import type { LogLevel } from '@roadstead/contracts/control-plane';
import { DEFAULT_CHARS, MIN_CHARS } from '../../paging/pagination-rules.ts';
import { MAX_CHARS } from '../../paging/shown-item-rules.ts';
import { flagOr, instant, requiredText, text, whole, word } from '../input-rules.ts';
import { tool, type ToolContext } from '../tool.ts';
import { findDeployment, findRevision } from './deployment-lookup.ts';
import { type LogLine, LogPage } from './log-page-rules.ts';

const LINES_AT_ONCE = 200;
/** The number of reads for a filter that finds little, before the caller is asked to continue. */
const MAX_READS = 10;

const input = z.strictObject({
  deployment: requiredText('Name or id of the deployment.'),
  revision: text('Number or id of a revision; all of them unless given.'),
  type: word(
    ['server', 'build'],
    'server: what the agent logged, the default; build: how it was installed and built.',
  ),
  level: word(['debug', 'info', 'warning', 'error', 'critical'], 'Only lines of this level and graver ones.'),
  since: instant('Only lines from this ISO 8601 time on.'),
  until: instant('Only lines before this ISO 8601 time.'),
  search: text('Only lines with this text, in capitals or not.', 500),
  newest_first: flagOr(true, 'false: oldest first.'),
  cursor: text('next_cursor of the answer before.'),
  max_chars: whole({
    min: MIN_CHARS,
    fallback: DEFAULT_CHARS,
    doc: 'Most characters of the answer, up to 30000.',
  }),
});

export const getDeploymentLogs = tool({
  name: 'get_deployment_logs',
  title: 'Read logs of a deployment',
  access: 'deployments:read',
  description:
    'Reads what a deployment logged, newest first, or how its revisions were built. level=error shows what went wrong; get_revision has the end of a failed build’s log already.',
  input,
  output: {
    lines: z.array(z.string()).describe('Time, level, message.'),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
    note: z.string().optional(),
  },
  run: async (given, context) => {
    const deployment = await findDeployment(given.deployment, context);
    const revision =
      given.revision === undefined ? undefined : await findRevision(deployment, given.revision, context);
    const read = readerOf(given, { deployment_id: deployment.id, revision_id: revision?.id }, context);
    const page = new LogPage(Math.min(given.max_chars, MAX_CHARS));
    let cursor = given.cursor;
    let has_more = true;
    for (let reads = 0; has_more && !page.isFull && reads < MAX_READS; reads += 1) {
      const { logs, next_offset } = await read(cursor);
      cursor = page.add(logs) ?? next_offset ?? cursor;
      has_more = next_offset !== null && (logs.length === LINES_AT_ONCE || logs.length === 0);
    }
    const is_end = !has_more && !page.isFull;
    return {
      lines: page.lines,
      has_more: !is_end,
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
      ...(page.lines.length > 0 || is_end ? {} : { note: 'Nothing found yet; go on with cursor.' }),
    };
  },
});

type Read = (offset: string | undefined) => Promise<{ logs: readonly LogLine[]; next_offset: string | null }>;

function readerOf(
  given: z.output<typeof input>,
  {
    deployment_id,
    revision_id,
  }: { readonly deployment_id: string; readonly revision_id: string | undefined },
  { control, signal }: ToolContext,
): Read {
  const { type, level, since, until, search, newest_first } = given;
  const query = {
    type: type === 'build' ? ('build' as const) : ('deploy' as const),
    order: newest_first ? ('desc' as const) : ('asc' as const),
    limit: LINES_AT_ONCE,
    ...(level === undefined ? {} : { level: level.toUpperCase() as LogLevel }),
    ...(since === undefined ? {} : { start_time: inUtc(since) }),
    ...(until === undefined ? {} : { end_time: inUtc(until) }),
    ...(search === undefined ? {} : { query: search }),
  };
  return async (offset) => {
    const at = offset === undefined ? query : { ...query, offset };
    return revision_id === undefined
      ? control.readDeploymentLogs({ params: { deployment_id }, query: at, signal })
      : control.readRevisionLogs({ params: { deployment_id, revision_id }, query: at, signal });
  };
}

/** A time without an offset is in UTC. */
const inUtc = (at: string) => new Date(/(Z|[+-]\d\d:?\d\d)$/i.test(at) ? at : `${at}Z`).toISOString();
