import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { RunResult } from '@roadstead/contracts/host';
import { HostUnderTest, texts } from '../../packages/graph-host/src/testing/host-process.ts';
import type { Feature, LangGraphVersion } from './versions.ts';

const agent = fileURLToPath(new URL('./agent', import.meta.url));
const run = promisify(execFile);

/** How a project's packages are installed; npm's settings hold for both. */
export type Manager = 'npm' | 'pnpm';

const commands: Readonly<Record<Manager, readonly string[]>> = {
  npm: ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
  pnpm: ['npx', '--yes', 'pnpm@9.15.9', 'install', '--ignore-scripts', '--store-dir=.store'],
};

/** A project of its own with this version from the registry. */
export async function installVersion(
  version: LangGraphVersion,
  manager: Manager = 'npm',
): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-compat-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  await cp(agent, folder, { recursive: true });
  const { langgraph, core, checkpoint } = version;
  const manifest = {
    private: true,
    type: 'module',
    dependencies: {
      '@langchain/core': core,
      '@langchain/langgraph': langgraph,
      ...(checkpoint === undefined ? {} : { '@langchain/langgraph-checkpoint': checkpoint }),
    },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const [command = '', ...args] = commands[manager];
  await run(command, args, { cwd: folder, timeout: 180_000 });
  const kept = stack.move();
  return { folder, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What is tried of a version, and what came of it. */
export interface Trial {
  readonly name: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export const isGood = ({ expected, got }: Trial): boolean => isDeepStrictEqual(got, expected);

/** Sends messages to the agent in `folder` through a real graph host. */
export async function tryVersion(folder: string, version: LangGraphVersion): Promise<Trial[]> {
  await using host = new HostUnderTest(folder, { fenced: true });
  const lacks = (feature: Feature) => version.lacks?.includes(feature) === true;
  const { result } = await host.peer.ask('describe', {});
  const thread = (graph_id: string) => {
    const thread_id = crypto.randomUUID();
    return (rest: object) => host.run({ thread_id, graph_id, ...rest });
  };
  const [agent, ask, notes, fan, stream] = ['agent', 'ask', 'notes', 'fan', 'stream'].map(thread);
  await agent?.({ input: human('one') });
  const second = await agent?.({ input: human('two') });
  const asked = await ask?.({ input: human('x') });
  const answered = await ask?.({ resume: { value: 'Ada' } });
  const noted = await notes?.({ input: human('note this') });
  await fan?.({ input: human('go') });
  const fanned = await fan?.({ resume: { value: 'go on' } });
  const streamed = await stream?.({ input: human('x'), chunks: true });
  const chunks = streamed?.events.flatMap((event) => (event.kind === 'chunk' ? [event.text] : []));
  return [
    { name: 'version', expected: version.langgraph, got: result.langgraph_version },
    { name: 'message', expected: ['2: two'], got: texts(second?.events ?? []) },
    {
      name: 'interrupt',
      expected: lacks('interrupt') ? [] : ['What is your name?'],
      got: questionsOf(asked?.outcome),
    },
    {
      name: 'resume',
      expected: [lacks('interrupt') ? 'Hello!' : 'Hello, Ada!'],
      got: texts(answered?.events ?? []),
    },
    { name: 'store', expected: [lacks('store') ? 'no store' : 'note this'], got: texts(noted?.events ?? []) },
    { name: 'pending sends', expected: ['Cork, Brest'], got: texts(fanned?.events ?? []) },
    { name: 'stream', expected: lacks('tokens') ? ['ahoy'] : ['a', 'h', 'o', 'y'], got: chunks },
  ];
}

const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

function questionsOf(outcome: RunResult | undefined): unknown {
  return outcome?.outcome === 'success' ? outcome.interrupts.map(({ value }) => value) : outcome;
}
