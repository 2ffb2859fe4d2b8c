import { Client } from '@langchain/langgraph-sdk';
import { useFixture } from '@roadstead/testing';
import { Client as FormerClient } from 'langgraph-sdk-v2';
import { describe, expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** The runs of the LangGraph API, by the SDKs of its users, on real graphs. */

const listening = useFixture(listeningAgent);

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
interface State {
  messages: { type: string; content: string }[];
}
const textsOf = (state: unknown) => (state as State).messages.map(({ content }) => content);
const clientOf = (Sdk: typeof Client) =>
  new Sdk({ apiUrl: listening().url, apiKey: null, callerOptions: { maxRetries: 0 } });
const newThread = () => crypto.randomUUID();
const creating = { ifNotExists: 'create' as const };

describe.each([
  ['1.12', Client],
  ['2.0', FormerClient as unknown as typeof Client],
])('with SDK %s', (_, Sdk) => {
  test('when a run is waited for, then the next one on its thread goes on', async () => {
    const client = clientOf(Sdk);
    const thread_id = newThread();
    const first = await client.runs.wait(thread_id, 'gate', { input: says('hello'), ...creating });
    expect(textsOf(first)).toEqual(['hello', 'Let me see.', 'hello']);
    const second = await client.runs.wait(thread_id, 'gate', { input: says('again') });
    expect(textsOf(second)).toEqual(['hello', 'Let me see.', 'hello', 'again', 'Let me see.', 'again']);
    const [last] = await client.runs.list(thread_id, { limit: 1 });
    expect(last).toMatchObject({ kwargs: { stream_mode: ['values'] } });
  });

  test('when a run is streamed, then the first event says that it is under way', async () => {
    let run: { run_id: string; thread_id?: string } | undefined;
    const thread_id = newThread();
    const events: [string, unknown][] = [];
    for await (const { event, data } of clientOf(Sdk).runs.stream(thread_id, 'gate', {
      input: says('hello'),
      streamMode: ['updates', 'values'],
      ...creating,
      onRunCreated: (created) => (run = created),
    }))
      events.push([event, data]);
    expect(run?.thread_id).toBe(thread_id);
    expect(events.map(([name]) => name)).toEqual([
      'metadata',
      'values',
      'updates',
      'values',
      'updates',
      'values',
    ]);
    expect(events[0]?.[1]).toEqual({ run_id: run?.run_id, attempt: 1 });
    expect(textsOf(events.at(-1)?.[1])).toEqual(['hello', 'Let me see.', 'hello']);
  });

  test('when a run is in the background, then it is read, joined and listed', async () => {
    const client = clientOf(Sdk);
    const thread_id = newThread();
    const run = await client.runs.create(thread_id, 'gate', {
      input: says('hello'),
      ...creating,
      metadata: { a: 1 },
    });
    const metadata = { a: 1, graph_id: 'gate', assistant_id: run.assistant_id };
    expect(run).toMatchObject({ thread_id, metadata, multitask_strategy: 'enqueue' });
    expect(textsOf(await client.runs.join(thread_id, run.run_id))).toHaveLength(3);
    expect(await client.runs.get(thread_id, run.run_id)).toMatchObject({
      status: 'success',
      kwargs: { input: says('hello') },
    });
    expect((await client.runs.list(thread_id)).map(({ run_id }) => run_id)).toEqual([run.run_id]);
    const written = await client.threads.getHistory(thread_id, { metadata: { a: 1 } });
    expect(written).toHaveLength(4);
    expect(written[0]).toMatchObject({ metadata: { ...metadata, run_id: run.run_id, source: 'loop' } });
    await client.runs.delete(thread_id, run.run_id);
    await expect(client.runs.get(thread_id, run.run_id)).rejects.toThrow('404');
  });

  test('when a client comes later, then it is streamed all from the beginning, or from its place', async () => {
    const client = clientOf(Sdk);
    const thread_id = newThread();
    const { run_id } = await client.runs.create(thread_id, 'gate', {
      input: says('hello'),
      ...creating,
      streamMode: ['updates', 'values'],
    });
    const all = [];
    for await (const part of client.runs.joinStream(thread_id, run_id, { lastEventId: '-1' })) all.push(part);
    expect(all.map(({ event }) => event)).toEqual([
      'metadata',
      'values',
      'updates',
      'values',
      'updates',
      'values',
    ]);
    const { id } = all[2] as unknown as { id: string };
    const rest = [];
    for await (const part of client.runs.joinStream(thread_id, run_id, { lastEventId: id })) rest.push(part);
    expect(rest).toEqual(all.slice(3));
    const updates = [];
    for await (const part of client.runs.joinStream(thread_id, run_id, { streamMode: ['updates'] }))
      updates.push(part.event);
    expect(updates).toEqual(['metadata', 'updates', 'updates']);
  });

  test('when a graph stops before it has written anything, then its state is empty', async () => {
    const client = clientOf(Sdk);
    const thread_id = newThread();
    const input = {};
    expect(await client.runs.wait(thread_id, 'still', { input, ...creating })).toEqual({});
    expect(await client.runs.wait(null, 'still', { input })).toEqual({});
    const { run_id } = await client.runs.create(thread_id, 'still', { input });
    expect(await client.runs.join(thread_id, run_id)).toEqual({});
    expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted', values: {} });
    const asking = newThread();
    const asked = await client.runs.wait(asking, 'mute', { input, ...creating });
    expect(asked).toEqual({ __interrupt__: [{ id: expect.any(String) as unknown, value: 'What?' }] });
    const streamed = await Array.fromAsync(client.runs.stream(newThread(), 'still', { input, ...creating }));
    const states = streamed.filter(({ event }) => event === 'values').map(({ data }) => data);
    expect(states).toEqual([{ __interrupt__: [] }]);
    await client.runs.wait(asking, 'mute', { command: { resume: 'kept' } });
    await client.runs.wait(asking, 'mute', { input: { unknown: 1 } });
    expect(await client.threads.get(asking)).toMatchObject({ values: { said: 'kept' } });
  });

  test('when a batch of runs is created, then the answer has its order', async () => {
    const client = clientOf(Sdk);
    const batch = [1, 2, 3].map((n) => ({ assistantId: 'gate', input: says('hello'), metadata: { n } }));
    const runs = await client.runs.createBatch(batch);
    expect(runs.map(({ metadata }) => (metadata as { n?: number }).n)).toEqual([1, 2, 3]);
    expect(new Set(runs.map(({ thread_id }) => thread_id)).size).toBe(3);
  });
});
