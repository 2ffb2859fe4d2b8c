import { isDeepStrictEqual } from 'node:util';
import type { RunResult } from '@roadstead/contracts/host';
import { HostUnderTest, texts } from '../../packages/graph-host/src/testing/host-process.ts';
import type { InstalledVersion } from './install-version.ts';
import type { Feature } from './versions.ts';

/** What is tried of a version, and what came of it. */
export interface Trial {
  readonly name: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export const isGood = ({ expected, got }: Trial): boolean => isDeepStrictEqual(got, expected);

/** Sends messages to the agent of an installed version through a real graph host. */
export async function tryVersion({ folder, host: options, version }: InstalledVersion): Promise<Trial[]> {
  await using host = new HostUnderTest(folder, options);
  const lacks = (feature: Feature) => version.lacks?.includes(feature) === true;
  const { result } = await host.peer.ask('describe', {});
  const thread = (graph_id: string) => {
    const thread_id = crypto.randomUUID();
    return { thread_id, graph_id };
  };
  const at = {
    agent: thread('agent'),
    ask: thread('ask'),
    notes: thread('notes'),
    fan: thread('fan'),
    stream: thread('stream'),
    tools: thread('tools'),
  };
  await host.run({ ...at.agent, input: human('one') });
  const second = await host.run({ ...at.agent, input: human('two') });
  const update = { values: human('written'), as_node: 'node' };
  await host.peer.ask('state.update', { ...at.agent, supersteps: [{ updates: [update] }] });
  const fourth = await host.run({ ...at.agent, input: human('four') });
  const asked = await host.run({ ...at.ask, input: human('x') });
  const answered = await host.run({ ...at.ask, resume: { value: 'Ada' } });
  const history = await host.peer.ask('state.history', { ...at.ask, limit: 10 });
  const noted = await host.run({ ...at.notes, input: human('note this') });
  await host.run({ ...at.fan, input: human('go') });
  const fanned = await host.run({ ...at.fan, resume: { value: 'go on' } });
  const streamed = await host.run({ ...at.stream, input: human('x'), chunks: true });
  const chunks = streamed.events.flatMap((event) => (event.kind === 'chunk' ? [event.text] : []));
  const called = await host.run({ ...at.tools, input: human('Cork') });
  return [
    { name: 'version', expected: version.langgraph, got: result.langgraph_version },
    { name: 'message', expected: ['2: two'], got: texts(second.events) },
    { name: 'update', expected: ['4: four'], got: texts(fourth.events) },
    {
      name: 'interrupt',
      expected: lacks('interrupt') ? [] : ['What is your name?'],
      got: questionsOf(asked.outcome),
    },
    {
      name: 'resume',
      expected: [lacks('interrupt') ? 'Hello!' : 'Hello, Ada!'],
      got: texts(answered.events),
    },
    {
      name: 'history',
      expected: [[], ['node'], ['__start__']],
      got: history.result.states.map(({ next }) => next),
    },
    { name: 'store', expected: [lacks('store') ? 'no store' : 'note this'], got: texts(noted.events) },
    { name: 'pending sends', expected: ['Cork, Brest'], got: texts(fanned.events) },
    { name: 'stream', expected: lacks('tokens') ? ['ahoy'] : ['a', 'h', 'o', 'y'], got: chunks },
    { name: 'tools', expected: 'high tide in Cork', got: texts(called.events).at(-1) },
  ];
}

const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

function questionsOf(outcome: RunResult): unknown {
  return outcome.outcome === 'success' ? outcome.interrupts.map(({ value }) => value) : outcome;
}
