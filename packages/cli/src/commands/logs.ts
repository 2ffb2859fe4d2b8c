import type { LogLevel } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { followLog, type LogLine } from '../deployments/log-stream.ts';
import { patiently } from '../target/patience.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget, type Target } from '../target/target.ts';
import { timeOf } from '../terminal/time-rules.ts';
import { type Command, type CommandCall, targetOptions, textOf } from '../command-line/command.ts';

export const logs: Command = {
  name: 'logs',
  operands: 'NAME',
  summary: 'Show what a deployment printed, or its build log.',
  options: {
    build: { type: 'boolean', doc: 'the build log of the latest revision' },
    revision: { type: 'string', value: 'ID', doc: 'of this revision only' },
    level: {
      type: 'string',
      value: 'LEVEL',
      doc: 'debug, info, warning, error or critical, and graver',
      completes: ['debug', 'info', 'warning', 'error', 'critical'],
    },
    text: { type: 'string', value: 'TEXT', doc: 'lines with this text, in capitals or not' },
    since: { type: 'string', value: 'TIME', doc: 'from this time, or this long ago: 10m, 2h, 1d' },
    until: { type: 'string', value: 'TIME', doc: 'until before this time, or this long ago' },
    limit: { type: 'string', value: 'N', doc: 'the newest N lines (all)' },
    follow: { type: 'boolean', doc: 'go on as lines come' },
    ...targetOptions,
  },
  examples: [
    { call: 'logs support-agent --follow', does: 'goes on as lines come' },
    { call: 'logs support-agent --level error --since 2h', does: 'errors of the last two hours' },
    { call: 'logs support-agent --build', does: 'how the latest revision was built' },
  ],
  completes: { NAME: 'deployments' },
  fields: {
    'path.revision_id': '--revision',
    'query.level': '--level',
    'query.query': '--text',
    'query.start_time': '--since',
    'query.end_time': '--until',
  },
  run: async ({ operands: [name = ''], values, terminal }) => {
    const filter = filterOf(values);
    const limit = limitOf(textOf(values['limit']));
    const target = await findTarget(values);
    const { id, latest_revision_id } = await readByName(target, name);
    const of = { deployment_id: id, revision_id: revisionOf(values, latest_revision_id) };
    const read = (page: Page) => readPage(target, of, { ...filter, ...page });
    const show = (line: LogLine) =>
      terminal.out(
        values['json'] === true ? safeJson(line) : `${terminal.dim(line.timestamp)} ${line.message}`,
      );
    let offset: string | undefined;
    if (limit !== undefined) {
      const newest = await readNewest(read, limit);
      for (const line of newest) show(line);
      offset = newest.at(-1)?.id;
      if (values['follow'] !== true) return 0;
    }
    for (;;) {
      const page = await read({ order: 'asc', limit: PAGE, ...(offset === undefined ? {} : { offset }) });
      for (const line of page.logs) show(line);
      offset = page.next_offset ?? offset;
      if (page.next_offset !== null) continue;
      if (values['follow'] !== true) return 0;
      for await (const line of followLog(target, { ...of, query: filter, after: offset })) show(line);
    }
  },
};

const PAGE = 1000;

interface Page {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset?: string;
}

type Filter = ReturnType<typeof filterOf>;
type Read = (page: Page) => ReturnType<typeof readPage>;

function readPage(
  { control }: Target,
  of: { readonly deployment_id: string; readonly revision_id: string | undefined },
  query: Page & Filter,
) {
  const { deployment_id, revision_id } = of;
  return patiently(() =>
    revision_id === undefined
      ? control.readDeploymentLogs({ params: { deployment_id }, query })
      : control.readRevisionLogs({ params: { deployment_id, revision_id }, query }),
  );
}

/** The newest lines, oldest first. */
async function readNewest(read: Read, limit: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let offset: string | null | undefined;
  do {
    const page = await read({
      order: 'desc',
      limit: Math.min(PAGE, limit - lines.length),
      ...(offset == null ? {} : { offset }),
    });
    lines.push(...page.logs);
    offset = page.next_offset;
  } while (offset !== null && lines.length < limit);
  return lines.toReversed();
}

function filterOf(values: CommandCall['values']) {
  const [level, query] = [
    textOf(values['level'])?.toUpperCase() as LogLevel | undefined,
    textOf(values['text']),
  ];
  const time = (name: string) => {
    const text = textOf(values[name]);
    return text === undefined ? undefined : timeOf(text, { option: `--${name}`, now: Date.now() });
  };
  const [start_time, end_time] = [time('since'), time('until')];
  return {
    type: values['build'] === true ? ('build' as const) : ('deploy' as const),
    ...(level === undefined ? {} : { level }),
    ...(query === undefined ? {} : { query }),
    ...(start_time === undefined ? {} : { start_time }),
    ...(end_time === undefined ? {} : { end_time }),
  };
}

/** The revision of a log: for a build the latest one by default; a server log has all revisions. */
function revisionOf(values: CommandCall['values'], latest: string | null): string | undefined {
  return textOf(values['revision']) ?? (values['build'] === true ? (latest ?? undefined) : undefined);
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new Problem('invalid', '--limit must be a whole number, 1 or more.');
  return limit;
}
