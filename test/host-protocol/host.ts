import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostEvent, RunParams } from '@roadstead/contracts/host';
import { HostUnderTest } from '../../packages/graph-host/src/testing/host-process.ts';
import { testPython } from '../support/python.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What starts our own hosts, and the sample agents in their language. The test projects of `vitest.config.ts` name the host. */
const hosts: Readonly<Record<string, { readonly words: readonly string[]; readonly agents: string }>> = {
  javascript: { words: [], agents: pathOf('./agents') },
  python: {
    words: [
      testPython ?? 'python3',
      '-P',
      pathOf('../../packages/graph-host-python/src/roadstead_host/__main__.py'),
    ],
    agents: pathOf('./agents-python'),
  },
};
const own = hosts[process.env['ROADSTEAD_HOST'] ?? 'javascript'];

/**
 * The host that the suite drives, as a black box: a command line that starts it (words with spaces between them), and a folder
 * with the sample agents in its language. Without these one of our own is driven.
 */
const [program, ...more] = process.env['ROADSTEAD_HOST_COMMAND']?.split(' ') ?? own?.words ?? [];
const folder = process.env['ROADSTEAD_HOST_AGENTS'] ?? own?.agents ?? '';

export interface Start {
  readonly config_path?: string;
  readonly engine?: HostUnderTest['engine'];
}

/** Starts the host of a project among the sample agents. */
export function startHost(project: 'graphs' | 'web' | 'broken', start: Start = {}): HostUnderTest {
  return new HostUnderTest(join(folder, project), {
    ...start,
    ...(program === undefined ? {} : { command: [program, ...more] }),
  });
}

export const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

/** A run of a graph on a thread of its own, unless one is named. */
export const runOf = (
  graph_id: string,
  params: Partial<RunParams> = {},
): Partial<RunParams> & Pick<RunParams, 'thread_id'> => ({
  thread_id: crypto.randomUUID(),
  graph_id,
  ...(params.command === undefined && params.resume === undefined ? { input: human('hello') } : {}),
  ...params,
});

export type StreamEvent = Extract<HostEvent, { readonly kind: 'stream' }>;

/** What a run streams in some modes. */
export async function streamed(
  host: HostUnderTest,
  graph_id: string,
  {
    modes,
    subgraphs = false,
  }: { readonly modes: NonNullable<RunParams['stream']>['modes']; readonly subgraphs?: boolean },
): Promise<readonly StreamEvent[]> {
  const { events } = await host.run(runOf(graph_id, { stream: { modes, subgraphs }, plain: false }));
  return events.filter((event) => event.kind === 'stream');
}

/** The contents of the messages in a state. */
export const contentsOf = (values: unknown): readonly unknown[] =>
  (values as { readonly messages: readonly { readonly content: unknown }[] }).messages.map(
    ({ content }) => content,
  );
