import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostEvent, RunParams } from '@roadstead/contracts/host';
import { HostUnderTest } from '../../packages/graph-host/src/testing/host-process.ts';

/**
 * The host that the suite drives, as a black box: a command line that starts it (words with spaces between them), and a folder
 * with the sample agents in its language. Without these the host of JavaScript is driven.
 */
const words = process.env['ROADSTEAD_HOST_COMMAND']?.split(' ') ?? [];
const [program, ...more] = words;
const folder = process.env['ROADSTEAD_HOST_AGENTS'] ?? fileURLToPath(new URL('./agents', import.meta.url));

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
