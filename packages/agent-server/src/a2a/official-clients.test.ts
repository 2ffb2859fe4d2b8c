import { type Message, SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { assistantIdOf } from '@roadstead/kit';
import type { Message as OldMessage } from 'a2a-sdk-v03';
import {
  A2AClient,
  ClientFactory as OldClientFactory,
  ClientFactoryOptions as OldClientFactoryOptions,
  DefaultAgentCardResolver as OldAgentCardResolver,
  JsonRpcTransportFactory as OldTransportFactory,
} from 'a2a-sdk-v03/client';
import { describe, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/test-agent.ts';

/** The official clients with default options but for a fetch that adds the key. */

let messages = 0;
const messageId = () => `client-${(messages += 1)}`;

describe.each([
  ['1.3.0', false],
  ['1.3.0 speaking 0.3', true],
])('@a2a-js/sdk %s', (_name, legacy) => {
  test('when a client has the address alone, then it finds the card, sends and is remembered', async () => {
    await using agent = await openTestAgent();
    const client = await connect(agent, 'memory', legacy);
    expect((await client.getAgentCard()).name).toBe('memory');
    expect(client.protocolVersion).toBe(legacy ? '0.3' : '1.0');
    const first = taskOf(await client.sendMessage(request('one')));
    expect([first.status?.state, textOf(first)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'one']);
    const second = taskOf(await client.sendMessage(request('two', { contextId: first.contextId })));
    expect([second.contextId, textOf(second)]).toEqual([first.contextId, 'one | two']);
    const read = await client.getTask({ tenant: '', id: second.id, historyLength: undefined });
    expect([read.id, textOf(read), read.history.length]).toEqual([second.id, 'one | two', 1]);
  });

  test('when a client streams, then comments between the events do not matter', async () => {
    await using agent = await openTestAgent({ heartbeat_ms: 5 });
    const client = await connect(agent, 'echo', legacy);
    const events = await Array.fromAsync(client.sendMessageStream(request('Hi')));
    expect(events.map((event) => event.payload?.$case)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(streamedText(events)).toBe('Echo: Hi');
    expect(lastState(events)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('when a client is asked, then it answers by text, sent or streamed', async () => {
    await using agent = await openTestAgent();
    const client = await connect(agent, 'ask', legacy);
    for (const stream of [false, true]) {
      const asked = taskOf(await client.sendMessage(request('hi')));
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      expect(asked.status?.message?.parts[0]?.content).toEqual({
        $case: 'text',
        value: 'What is your name?',
      });
      const reply = request('Ada', { taskId: asked.id, contextId: asked.contextId });
      const text = stream
        ? streamedText(await Array.fromAsync(client.sendMessageStream(reply)))
        : textOf(taskOf(await client.sendMessage(reply)));
      expect(text).toBe('Hello, Ada!');
    }
  });

  test('when something is wrong, then the client understands what', async () => {
    await using agent = await openTestAgent();
    const client = await connect(agent, 'data', legacy);
    await expect(client.sendMessage(request('hi'))).rejects.toThrow('city, days');
    await expect(client.sendMessage(request('hi', { taskId: 'none' }))).rejects.toThrow(
      /no such task|not found/i,
    );
    const id = { tenant: '', id: 'none' };
    await expect(client.getTask({ ...id, historyLength: undefined })).rejects.toThrow(
      /no such task|not found/i,
    );
    const missing = /no such task|not found/i;
    await expect(client.cancelTask({ ...id, metadata: undefined })).rejects.toThrow(missing);
    await expect(Array.fromAsync(client.resubscribeTask(id))).rejects.toThrow(missing);
    await expect(Array.fromAsync(client.sendMessageStream(request('hi')))).rejects.toThrow('city, days');
  });
});

describe.each([
  ['1.3.0', false],
  ['1.3.0 speaking 0.3', true],
])('@a2a-js/sdk %s', (_name, legacy) => {
  test('when a client cancels a task, then it succeeds once, and not twice', async () => {
    await using agent = await openTestAgent();
    const client = await connect(agent, 'gate', legacy, { polling: true });
    const begun = taskOf(await client.sendMessage(request('hi')));
    const id = { tenant: '', id: begun.id, metadata: undefined };
    expect((await client.cancelTask(id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask(id)).rejects.toThrow(/ended already|not.*cancel/i);
  });

  test('when a client takes a stream up again, then it gets the task and its events', async () => {
    await using agent = await openTestAgent();
    const client = await connect(agent, 'gate', legacy, { polling: true });
    const begun = taskOf(await client.sendMessage(request('hi')));
    const events: StreamResponse[] = [];
    for await (const event of client.resubscribeTask({ tenant: '', id: begun.id })) {
      events.push(event);
      agent.release();
    }
    expect(events[0]?.payload?.$case).toBe('task');
    expect(streamedText(events)).toBe('Opened');
    expect(lastState(events)).toBe(TaskState.TASK_STATE_COMPLETED);
  });
});

test('when @a2a-js/sdk 1.3.0 lists its tasks, then it has all of them, page by page', async () => {
  await using agent = await openTestAgent();
  const client = await connect(agent, 'echo', false);
  const texts = ['one', 'two', 'three'];
  for (const text of texts) await client.sendMessage(request(text));
  const page = { tenant: '', contextId: '', status: 0, pageSize: 2, pageToken: '' };
  const more = { historyLength: 1, statusTimestampAfter: undefined, includeArtifacts: true };
  const first = await client.listTasks({ ...page, ...more });
  expect([first.tasks.length, first.totalSize, first.pageSize]).toEqual([2, 3, 2]);
  const second = await client.listTasks({ ...page, ...more, pageToken: first.nextPageToken });
  expect([second.tasks.length, second.nextPageToken]).toEqual([1, '']);
  const said = [...first.tasks, ...second.tasks].map(textOf);
  expect(said.toSorted()).toEqual(texts.map((text) => `Echo: ${text}`).toSorted());
});

test('when @a2a-js/sdk 1.3.0 polls, then it sees its task through to the end', async () => {
  await using agent = await openTestAgent();
  const client = await connect(agent, 'gate', false, { polling: true });
  const begun = taskOf(await client.sendMessage(request('hi')));
  expect(begun.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  agent.release();
  const read = () => client.getTask({ tenant: '', id: begun.id, historyLength: undefined });
  await expect.poll(async () => (await read()).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});

describe('@a2a-js/sdk 0.3.14', () => {
  const message = (text: string, more: Partial<OldMessage> = {}): OldMessage => ({
    kind: 'message',
    role: 'user',
    messageId: messageId(),
    parts: [{ kind: 'text', text }],
    ...more,
  });
  const open = (agent: TestAgent, graph_id: string) =>
    A2AClient.fromCardUrl(
      `${agent.url}/.well-known/agent-card.json?assistant_id=${assistantIdOf(graph_id)}`,
      {
        fetchImpl: agent.fetch,
      },
    );

  test('when A2AClient sends both ids back, then it has the specification’s conversation', async () => {
    await using agent = await openTestAgent();
    const client = await open(agent, 'memory');
    const first = await client.sendMessage({ message: message('one') });
    if (!('result' in first) || first.result.kind !== 'task') throw new Error('no task');
    expect(first.result.artifacts?.[0]?.parts[0]).toEqual({ kind: 'text', text: 'one' });
    const ids = { contextId: first.result.contextId, taskId: first.result.id };
    const second = await client.sendMessage({ message: message('two', ids) });
    expect(second).toMatchObject({
      result: { contextId: ids.contextId, artifacts: [{ parts: [{ text: 'one | two' }] }] },
    });
    expect(await client.getTask({ id: ids.taskId, historyLength: 1 })).toMatchObject({
      result: { id: ids.taskId },
    });
    expect(await client.getTask({ id: 'none' })).toMatchObject({ error: { code: -32_001 } });
    expect(await client.cancelTask({ id: ids.taskId })).toMatchObject({ error: { code: -32_002 } });
  });

  test('when A2AClient streams, then it gets the events and the errors of a stream', async () => {
    await using agent = await openTestAgent({ heartbeat_ms: 5 });
    const client = await open(agent, 'echo');
    const events = await Array.fromAsync(client.sendMessageStream({ message: message('Hi') }));
    expect(events.map((event) => event.kind)).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ]);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: 'completed' } });
    await expect(Array.fromAsync(client.resubscribeTask({ id: 'none' }))).rejects.toThrow('-32001');
    const unknown = { message: message('Hi', { taskId: 'none' }) };
    await expect(Array.fromAsync(client.sendMessageStream(unknown))).rejects.toThrow('-32001');
  });

  test('when ClientFactory resolves the card, then its client is asked and answers by text', async () => {
    await using agent = await openTestAgent();
    const fetchImpl = agent.fetch;
    const factory = new OldClientFactory(
      OldClientFactoryOptions.createFrom(OldClientFactoryOptions.default, {
        transports: [new OldTransportFactory({ fetchImpl })],
        cardResolver: new OldAgentCardResolver({ fetchImpl }),
      }),
    );
    const client = await factory.createFromUrl(`${agent.url}/a2a/${assistantIdOf('ask')}/`);
    const asked = await client.sendMessage({ message: message('hi') });
    if (asked.kind !== 'task') throw new Error('no task');
    expect(asked.status).toMatchObject({
      state: 'input-required',
      message: { parts: [{ text: 'What is your name?' }] },
    });
    const reply = message('Ada', { taskId: asked.id, contextId: asked.contextId });
    expect(await client.sendMessage({ message: reply })).toMatchObject({
      id: asked.id,
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text', text: 'Hello, Ada!' }] }],
    });
  });
});

async function connect(
  agent: TestAgent,
  graph_id: string,
  legacy: boolean,
  clientConfig: { readonly polling?: boolean } = {},
): Promise<Client> {
  const fetchImpl = agent.fetch;
  const options = legacy ? { fetchImpl, legacyCompat: { enabled: true } } : { fetchImpl };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(options)],
      cardResolver: new DefaultAgentCardResolver(options),
      clientConfig,
    }),
  );
  if (!legacy) return factory.createFromUrl(`${agent.url}/a2a/${assistantIdOf(graph_id)}/`);
  const address = `${agent.url}/.well-known/agent-card.json?assistant_id=${graph_id}&A2A-Version=0.3`;
  const card: unknown = await (await agent.fetch(address)).json();
  return factory.createFromAgentCard(card as Parameters<typeof factory.createFromAgentCard>[0]);
}

function request(text: string, more: object = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: messageId(), role: 'ROLE_USER', parts: [{ text }], ...more },
  });
}

function taskOf(result: Task | Message): Task {
  if ('status' in result) return result;
  throw new Error('a message, no task');
}

const partText = (parts: Message['parts']) =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
const textOf = (task: Task) => partText(task.artifacts[0]?.parts ?? []);

function streamedText(events: readonly StreamResponse[]): string {
  return events
    .map(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? partText(payload.value.artifact?.parts ?? []) : '',
    )
    .join('');
}

function lastState(events: readonly StreamResponse[]): TaskState | undefined {
  const payload = events.at(-1)?.payload;
  return payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
}
