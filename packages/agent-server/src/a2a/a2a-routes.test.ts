import { setTimeout as after } from 'node:timers/promises';
import { assistantIdOf, createLog, isUuid, Problem } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import { type CallOptions, openTestAgent, type Rpc } from '../testing/test-agent.ts';

/** Both versions over real HTTP, as raw as curl sends them. */

let messages = 0;
const user = (text: string, more: object = {}) => {
  messages += 1;
  return { role: 'user', messageId: `m-${messages}`, parts: [{ kind: 'text', text }], ...more };
};
const send = (message: object, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 'r1',
  method: 'message/send',
  params: { message, ...more },
});
const user10 = (text: string, more: object = {}) => ({
  ...user(text),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});
const send10 = (message: object, more: object = {}) => ({ ...send(message, more), method: 'SendMessage' });
const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 7, method, params });

/** The fields that tests look at. */
interface WireTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: {
    readonly state: string;
    readonly message?: {
      readonly parts: readonly unknown[];
      readonly metadata?: { readonly interrupt_id: string };
    };
  };
  readonly artifacts: readonly { readonly parts: readonly { readonly text?: string }[] }[];
  readonly history?: readonly { readonly messageId: string; readonly referenceTaskIds?: readonly string[] }[];
}
function taskIn(body: Rpc | undefined): WireTask {
  if (body?.result === undefined) throw new Error(`no result: ${JSON.stringify(body)}`);
  return (body.result['task'] ?? body.result) as unknown as WireTask;
}

describe('message/send and SendMessage', () => {
  test('0.3: the specification’s example, by assistant id and by graph id', async () => {
    await using agent = await openTestAgent();
    for (const assistant of [assistantIdOf('echo'), 'echo', 'echo/']) {
      const { status, headers, body } = await agent.call(assistant, send(user('Hi')));
      expect([status, headers.get('content-type'), body?.jsonrpc, body?.id]).toEqual([
        200,
        'application/json',
        '2.0',
        'r1',
      ]);
      const task = taskIn(body);
      expect(task).toMatchObject({
        kind: 'task',
        status: {
          state: 'completed',
          message: { role: 'agent', parts: [{ kind: 'text', text: 'Echo: Hi' }] },
        },
        artifacts: [{ parts: [{ kind: 'text', text: 'Echo: Hi' }] }],
        history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }],
      });
      expect(isUuid(task.id) && isUuid(task.contextId)).toBe(true);
    }
  });

  test('1.0: wrapped, with upper-case states, with and without the header', async () => {
    await using agent = await openTestAgent();
    for (const options of [{}, { headers: { 'A2A-Version': '1.0' } }, { query: '?A2A-Version=1.0.2' }]) {
      const { body } = await agent.call('echo', send10(user10('Hi')), options);
      expect(body?.result).toMatchObject({
        task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Echo: Hi' }] }] },
      });
    }
  });

  test('the artifact that was made last comes first, in tasks/get too', async () => {
    await using agent = await openTestAgent();
    const task = taskIn((await agent.call('steps', send(user('?')))).body);
    expect(task.artifacts.map((one) => one.parts[0]?.text)).toEqual(['It is 42.', 'Let me see.']);
    expect(taskIn((await agent.call('steps', rpc('tasks/get', { id: task.id }))).body).artifacts).toEqual(
      task.artifacts,
    );
  });

  test('a conversation goes by contextId; the taskId of a finished task begins a new one in 0.3', async () => {
    await using agent = await openTestAgent();
    const first = taskIn((await agent.call('memory', send(user('one')))).body);
    const ids = { contextId: first.contextId, taskId: first.id };
    const second = taskIn((await agent.call('memory', send(user('two', ids)))).body);
    expect([second.contextId, second.artifacts[0]?.parts[0]?.text]).toEqual([first.contextId, 'one | two']);
    expect(second.id).not.toBe(first.id);
    expect(second.history?.[0]?.referenceTaskIds).toEqual([first.id]);
    const third = await agent.call('memory', send10(user10('three', ids)));
    expect(third.body?.error).toMatchObject({ code: -32_004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] });
  });

  test('the same message again is its task, with and without a context, also as answer to a question', async () => {
    await using agent = await openTestAgent();
    for (const message of [user('a'), user('b', { contextId: 'mine' })]) {
      const [one, two] = await Promise.all([
        agent.call('memory', send(message)),
        agent.call('memory', send(message)),
      ]);
      expect(taskIn(two.body)).toEqual(taskIn(one.body));
    }
    const asked = taskIn((await agent.call('ask', send(user('hi')))).body);
    const reply = send(user('again', { taskId: asked.id }));
    const answers = await Promise.all([reply, reply, reply].map((one) => agent.call('ask', one)));
    for (const { body } of [...answers, await agent.call('ask', reply)])
      expect(taskIn(body)).toMatchObject({ id: asked.id, status: { state: 'input-required' } });
    expect(agent.engine.taken).toHaveLength(4);
  });

  test('a question is answered by text, in either version', async () => {
    await using agent = await openTestAgent();
    const asked = taskIn((await agent.call('ask', send(user('hi')))).body);
    expect(asked.status).toMatchObject({
      state: 'input-required',
      message: { role: 'agent', parts: [{ kind: 'text', text: 'What is your name?' }] },
    });
    const reply = user10('Ada', { taskId: asked.id, contextId: asked.contextId });
    expect(taskIn((await agent.call('ask', send10(reply))).body)).toMatchObject({
      id: asked.id,
      contextId: asked.contextId,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'Hello, Ada!' }] }],
    });
  });

  test('a question that is no text is a data part, and so may be the answer', async () => {
    await using agent = await openTestAgent();
    const asked = taskIn((await agent.call('form', send(user('hi')))).body);
    expect(asked.status.message?.parts).toEqual([
      { kind: 'data', data: { question: 'Which?', options: ['a', 'b'] } },
    ]);
    const answer = (data: unknown) => user('', { taskId: asked.id, parts: [{ kind: 'data', data }] });
    const sneaky = await agent.call('form', send(answer({ resume: 1, update: { messages: [] } })));
    expect(sneaky.body?.error?.code).toBe(-32_602);
    const { interrupt_id: id } = asked.status.message?.metadata ?? {};
    const other = await agent.call('form', send(answer({ resume: [{ id: `not ${id}`, value: 1 }] })));
    expect(other.body?.error?.code).toBe(-32_602);
    const done = taskIn(
      (await agent.call('form', send(answer({ resume: [{ id, value: { choice: 'a' } }] })))).body,
    );
    expect(done.artifacts[0]?.parts[0]?.text).toBe('{"choice":"a"}');
  });

  test('without waiting the committed task is the answer; a working task takes no message', async () => {
    await using agent = await openTestAgent();
    const first = taskIn(
      (await agent.call('gate', send(user('a'), { configuration: { blocking: false } }))).body,
    );
    const now = { configuration: { returnImmediately: true } };
    const second = taskIn(
      (await agent.call('gate', send10(user10('b', { contextId: first.contextId }), now))).body,
    );
    expect([first.status.state, second.status.state]).toEqual(['submitted', 'TASK_STATE_SUBMITTED']);
    const busy = await agent.call('gate', send(user('c', { taskId: first.id })));
    expect(busy.body?.error).toMatchObject({ code: -32_004, message: expect.stringContaining('wait') });
    agent.release();
    await expect
      .poll(
        async () => taskIn((await agent.call('gate', rpc('tasks/get', { id: second.id }))).body).status.state,
      )
      .toBe('completed');
  });

  test('a graph that throws is a failed task, no error', async () => {
    await using agent = await openTestAgent();
    const task = taskIn((await agent.call('fail', send(user('hi')))).body);
    expect(task.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: 'The agent failed: no luck' }] },
    });
  });

  test('data is the graph’s input; the tracing thread and metadata come from the payload', async () => {
    await using agent = await openTestAgent();
    const message = user('', { parts: [{ kind: 'data', data: { city: 'Rome' } }] });
    const payload = {
      ...send(message, { metadata: { thread_id: 'inner', a: 1 } }),
      metadata: { thread_id: 'trace', b: 2 },
    };
    const task = taskIn((await agent.call('data', payload)).body);
    expect(task.artifacts[0]?.parts[0]?.text).toBe('{"city":"Rome"}');
    expect(agent.engine.taken[0]).toMatchObject({
      trace_thread_id: 'trace',
      metadata: { a: 1, b: 2 },
      context_id: undefined,
    });
    expect(agent.engine.taken[0]).not.toHaveProperty('metadata.thread_id');
    await agent.call('data', send({ ...message, messageId: 'other' }, { metadata: { thread_id: 'inner' } }));
    expect(agent.engine.taken[1]).toMatchObject({ trace_thread_id: 'inner' });
  });

  test('historyLength', async () => {
    await using agent = await openTestAgent();
    const none = taskIn(
      (await agent.call('echo', send(user('hi'), { configuration: { historyLength: 0 } }))).body,
    );
    expect(none).not.toHaveProperty('history');
    const get = (historyLength?: number) =>
      agent.call('echo', rpc('tasks/get', { id: none.id, historyLength }));
    expect(taskIn((await get()).body).history).toHaveLength(1);
    expect(taskIn((await get(2_147_483_647)).body).history).toHaveLength(1);
    expect(taskIn((await get(0)).body)).not.toHaveProperty('history');
  });

  test('a notification is taken, with no body; one that is wrong is answered all the same', async () => {
    await using agent = await openTestAgent();
    const { id: _id, ...silent } = send(user('hi'));
    const { status, text } = await agent.call('gate', silent);
    expect([status, text, agent.engine.taken.length]).toEqual([202, '', 1]);
    const stream = await agent.call('gate', {
      ...silent,
      method: 'message/stream',
      params: { message: user('a') },
    });
    expect([stream.status, agent.engine.taken.length]).toEqual([202, 2]);
    const wrong = await agent.call('gate', { jsonrpc: '2.0', method: 'message/ssend', params: {} });
    expect([wrong.status, wrong.body?.id, wrong.body?.error?.code]).toEqual([200, null, -32_601]);
  });

  test('a client that goes away does not end the task', async () => {
    await using agent = await openTestAgent();
    const gone = new AbortController();
    const message = user('hi');
    const body = JSON.stringify(send(message));
    const going = agent
      .fetch(`${agent.url}/a2a/gate`, { method: 'POST', body, signal: gone.signal })
      .catch(() => 'gone');
    await expect.poll(() => agent.engine.taken.length).toBe(1);
    gone.abort();
    expect(await going).toBe('gone');
    agent.release();
    expect(taskIn((await agent.call('gate', send(message))).body).status.state).toBe('completed');
  });
});

describe('streams', () => {
  const stream = (message: object) => ({ ...send(message), method: 'message/stream' });

  test('0.3: the task, then its events, the last one final, numbered', async () => {
    await using agent = await openTestAgent();
    const { headers, events, text } = await agent.call('echo', stream(user('Hi')));
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect([headers.get('cache-control'), headers.get('x-accel-buffering')]).toEqual(['no-store', 'no']);
    expect(events.every((event) => event.jsonrpc === '2.0' && event.id === 'r1')).toBe(true);
    expect(events.map((event) => event.result?.['kind'])).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ]);
    expect(events.map((event) => event.result?.['final'])).toEqual([
      undefined,
      false,
      undefined,
      undefined,
      true,
    ]);
    expect(events.at(-1)?.result).toMatchObject({
      status: { state: 'completed', message: { parts: [{ text: 'Echo: Hi' }] } },
    });
    expect(events[2]?.result).toMatchObject({
      append: false,
      lastChunk: false,
      artifact: { parts: [{ text: 'Echo: ' }] },
    });
    expect(events[3]?.result).toMatchObject({
      append: true,
      lastChunk: true,
      artifact: { parts: [{ text: 'Hi' }] },
    });
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual([1, 2, 3, 4, 5]);
  });

  test('1.0: told apart by member', async () => {
    await using agent = await openTestAgent();
    const { events } = await agent.call('ask', { ...send10(user10('Hi')), method: 'SendStreamingMessage' });
    expect(events.map((event) => Object.keys(event.result ?? {}))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['statusUpdate'],
    ]);
    expect(events.at(-1)?.result).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
  });

  test('the same message again streams its task from where it is, to a final status in 0.3', async () => {
    await using agent = await openTestAgent();
    const message = user('Hi');
    await agent.call('echo', stream(message));
    const { events } = await agent.call('echo', stream(message));
    expect(events.map((event) => event.result?.['kind'])).toEqual(['task', 'status-update']);
    expect(events.at(-1)?.result).toMatchObject({ final: true, status: { state: 'completed' } });
    const again = await agent.call('echo', { ...send10(user10('Ho')), method: 'SendStreamingMessage' });
    expect(again.events.length).toBeGreaterThan(1);
  });

  test('what is wrong is one event, or JSON for a client that takes no events', async () => {
    await using agent = await openTestAgent();
    const bad = stream(user('hi', { parts: [] }));
    for (const accept of ['text/event-stream', '*/*', 'application/json, text/event-stream;q=0.5']) {
      const { status, headers, events } = await agent.call('echo', bad, { headers: { accept } });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect(events.map((event) => [event.id, event.error?.code])).toEqual([['r1', -32_602]]);
    }
    const { body } = await agent.call('echo', bad, { headers: { accept: 'application/json' } });
    expect(body?.error?.code).toBe(-32_602);
  });

  test('silence is filled with comments', async () => {
    await using agent = await openTestAgent({ heartbeat_ms: 20 });
    const answer = agent.call('gate', stream(user('hi')));
    await after(120);
    agent.release();
    const { text, events } = await answer;
    expect(text.match(/^: keep-alive$/gm)?.length).toBeGreaterThan(1);
    expect(events.at(-1)?.result).toMatchObject({ final: true });
  });

  test('a reader that goes away ends its stream, not the task', async () => {
    let reading = 0;
    await using agent = await openTestAgent({
      wrap: (engine) =>
        Object.assign(Object.create(engine) as typeof engine, {
          assistant: engine.assistant.bind(engine),
          assistants: engine.assistants.bind(engine),
          task: engine.task.bind(engine),
          begin: engine.begin.bind(engine),
          settled: engine.settled.bind(engine),
          events: async function* (...args: Parameters<typeof engine.events>) {
            reading += 1;
            try {
              yield* engine.events(...args);
            } finally {
              reading -= 1;
            }
          },
        }),
    });
    const message = user('hi');
    const gone = new AbortController();
    const response = await agent.fetch(`${agent.url}/a2a/gate`, {
      method: 'POST',
      body: JSON.stringify(stream(message)),
      signal: gone.signal,
    });
    await response.body?.getReader().read();
    await expect.poll(() => reading).toBe(1);
    gone.abort();
    await expect.poll(() => reading).toBe(0);
    agent.release();
    expect(taskIn((await agent.call('gate', send(message))).body).status.state).toBe('completed');
  });

  test('a stream that breaks says so in its last event, and the log has why', async () => {
    const lines: string[] = [];
    await using agent = await openTestAgent({
      log: createLog({ level: 'error', write: (line) => void lines.push(line) }),
      wrap: (engine) => ({
        assistant: (id) => engine.assistant(id),
        assistants: () => engine.assistants(),
        task: (...args) => engine.task(...args),
        begin: (...args) => engine.begin(...args),
        resume: (...args) => engine.resume(...args),
        settled: (...args) => engine.settled(...args),
        // eslint-disable-next-line require-yield
        events: async function* () {
          throw new Error('secret detail');
        },
      }),
    });
    const { events, text } = await agent.call('echo', stream(user('hi')));
    expect(events.map((event) => event.error?.code)).toEqual([undefined, -32_603]);
    expect(text).not.toContain('secret');
    expect(lines.join()).toContain('secret detail');
  });
});

describe('errors', () => {
  const text = user('hi');
  const unknown = '00000000-0000-4000-8000-000000000000';
  const push = { pushNotificationConfig: { url: 'https://example.com/hook' } };
  const rows: [string, unknown, number, CallOptions?][] = [
    ['no JSON', '{"jsonrpc": "2.0"', -32_700],
    ['a batch', [rpc('tasks/get')], -32_600],
    ['an empty batch', [], -32_600],
    ['an id of a wrong type', { ...rpc('tasks/get'), id: { bad: 'type' } }, -32_600],
    ['jsonrpc that isn’t 2.0', { ...rpc('tasks/get'), jsonrpc: '1.0' }, -32_600],
    ['no method', { jsonrpc: '2.0', id: 7, params: {} }, -32_600],
    ['a numeric method', { ...rpc('x'), method: 1 }, -32_601],
    ['an unknown method', rpc('message/ssend'), -32_601],
    ['a method of Object', rpc('constructor'), -32_601],
    ['an empty method', rpc(''), -32_601],
    [
      'a 0.3 method in 1.0',
      rpc('tasks/get', { id: unknown }),
      -32_601,
      { headers: { 'A2A-Version': '1.0' } },
    ],
    ['a 1.0 method in 0.3', rpc('GetTask', { id: unknown }), -32_601, { headers: { 'A2A-Version': '0.3' } }],
    [
      'an unsupported version',
      rpc('tasks/get', { id: unknown }),
      -32_009,
      { headers: { 'A2A-Version': '2.0' } },
    ],
    ['an unsupported version in the query', rpc('GetTask'), -32_009, { query: '?A2A-Version=0.2' }],
    [
      'the header before the query',
      rpc('GetTask'),
      -32_602,
      { query: '?A2A-Version=9', headers: { 'A2A-Version': '1.0' } },
    ],
    ['params in a list', rpc('message/send', []), -32_602],
    ['no params', { jsonrpc: '2.0', id: 7, method: 'message/send' }, -32_602],
    ['params of another shape', rpc('message/send', { '': 'not_a_dict' }), -32_602],
    ['no parts', send({ ...text, parts: [] }), -32_602],
    ['a foreign role', send({ ...text, role: 'bogus' }), -32_602],
    ['a 0.3 message in 1.0', send10(text), -32_602],
    ['a file', send({ ...text, parts: [{ kind: 'file', file: { bytes: 'aGk=' } }] }), -32_005],
    ['pictures only, please', send(text, { configuration: { acceptedOutputModes: ['image/png'] } }), -32_005],
    ['a push config', send(text, { configuration: push }), -32_003],
    ['an unknown task in a message', send({ ...text, taskId: unknown }), -32_001],
    ['an unknown task', rpc('tasks/get', { id: unknown }), -32_001],
    ['an unknown task in 1.0', rpc('GetTask', { id: 'no uuid' }), -32_001],
    ['tasks/get without id', rpc('tasks/get', {}), -32_602],
    ['a negative historyLength', rpc('tasks/get', { id: unknown, historyLength: -1 }), -32_602],
    ['a trace thread that is no text', { ...send(text), metadata: { thread_id: 5 } }, -32_602],
    ['text below the limit of nothing', send({ ...text, parts: [{ kind: 'text' }] }), -32_602],
    ['tasks/cancel', rpc('tasks/cancel', { id: unknown }), -32_004],
    ['CancelTask', rpc('CancelTask', { id: unknown }), -32_004],
    ['ListTasks', rpc('ListTasks'), -32_004],
    ['tasks/list, which 0.3 lacks', rpc('tasks/list'), -32_601],
    ['extended card of 0.3', rpc('agent/getAuthenticatedExtendedCard'), -32_007],
    ['extended card of 1.0', rpc('GetExtendedAgentCard'), -32_004],
    ...['set', 'get', 'list', 'delete'].map((verb): [string, unknown, number] => [
      verb,
      rpc(`tasks/pushNotificationConfig/${verb}`),
      -32_003,
    ]),
    ...['CreateTask', 'GetTask', 'DeleteTask'].map((verb): [string, unknown, number] => [
      verb,
      rpc(`${verb}PushNotificationConfig`),
      -32_003,
    ]),
    ['ListTaskPushNotificationConfigs', rpc('ListTaskPushNotificationConfigs'), -32_003],
  ];
  test('each by its code, with HTTP 200, under the call’s id', async () => {
    await using agent = await openTestAgent();
    const got = [];
    for (const [name, payload, , options] of rows) {
      const { status, body } = await agent.call('echo', payload, options);
      got.push([name, body?.error?.code, status, typeof body?.error?.message]);
    }
    expect(got).toEqual(rows.map(([name, , code]) => [name, code, 200, 'string']));
    expect(agent.engine.taken).toEqual([]);
  });

  test('resubscribing is refused in a stream', async () => {
    await using agent = await openTestAgent();
    for (const method of ['tasks/resubscribe', 'SubscribeToTask']) {
      const headers = { accept: 'text/event-stream' };
      const { events } = await agent.call('echo', rpc(method, { id: unknown }), { headers });
      expect(events.map((event) => event.error?.code)).toEqual([-32_004]);
    }
  });

  test('an unsupported version lists those that are', async () => {
    await using agent = await openTestAgent();
    const { body } = await agent.call('echo', rpc('GetTask'), { headers: { 'A2A-Version': '2.0' } });
    expect(body?.error).toMatchObject({
      message: expect.stringContaining('0.3, 1.0'),
      data: [{ reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '0.3, 1.0' } }],
    });
  });

  test('text for a graph without messages names its fields', async () => {
    await using agent = await openTestAgent();
    const { body } = await agent.call('data', send(user('hi')));
    expect(body?.error).toMatchObject({ code: -32_602, message: expect.stringContaining('city, days') });
  });

  test('an unknown assistant is -32602', async () => {
    await using agent = await openTestAgent();
    for (const assistant of ['nobody', unknown, '__proto__'])
      expect((await agent.call(assistant, send(user('hi')))).body?.error?.code).toBe(-32_602);
  });

  test('a foreign task looks like none, and its context is another', async () => {
    await using agent = await openTestAgent();
    const asked = taskIn((await agent.call('ask', send(user('hi')))).body);
    const get = rpc('tasks/get', { id: asked.id });
    const reply = send(user('Eve', { taskId: asked.id }));
    for (const payload of [get, reply])
      expect((await agent.call('ask', payload, { key: 'second' })).body?.error?.code).toBe(-32_001);
    expect((await agent.call('echo', get)).body?.error?.code).toBe(-32_001);
    const wrong = rpc('tasks/get', { id: asked.id, contextId: 'another' });
    expect((await agent.call('ask', wrong)).body?.error?.code).toBe(-32_602);
    const same = { contextId: asked.contextId };
    expect(
      taskIn((await agent.call('memory', send(user('a', same)))).body).artifacts[0]?.parts[0]?.text,
    ).toBe('a');
    const theirs = await agent.call('memory', send(user('b', same)), { key: 'second' });
    expect(taskIn(theirs.body).artifacts[0]?.parts[0]?.text).toBe('b');
  });

  test('no key is 401, GET is 405, too large is 413, all as JSON-RPC', async () => {
    await using agent = await openTestAgent();
    const none = await agent.call('echo', send(user('hi')), { key: 'wrong' });
    expect([none.status, none.body?.jsonrpc, none.headers.get('www-authenticate')]).toEqual([
      401,
      '2.0',
      expect.stringContaining('Bearer'),
    ]);
    const get = await agent.fetch(`${agent.url}/a2a/echo`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    const large = await agent.call('echo', `"${'x'.repeat(26_214_400)}"`);
    expect([large.status, large.body?.jsonrpc]).toEqual([413, '2.0']);
  });

  test('how much is too large is a setting, and held also where no length is announced', async () => {
    await using agent = await openTestAgent({ max_body_bytes: 2000 });
    expect((await agent.call('echo', send(user('x'.repeat(1000))))).body?.error).toBeUndefined();
    const large = JSON.stringify(send(user('x'.repeat(2000))));
    const streamed = new Response(large).body;
    const unannounced = { method: 'POST', body: streamed, duplex: 'half' } as RequestInit;
    for (const init of [{ method: 'POST', body: large }, unannounced]) {
      const answer = await agent.fetch(`${agent.url}/a2a/echo`, init);
      const { id, error } = (await answer.json()) as Rpc;
      expect([answer.status, id, error?.code]).toEqual([413, null, -32_600]);
      expect(error?.message).toContain('2000 bytes');
    }
  });

  test.for<[Problem, number, number]>([
    [new Problem('unavailable', 'It stops.', { retry_after_s: 3 }), 503, -32_603],
    [new Problem('conflict', 'Too late.'), 200, -32_004],
    [new Problem('invalid', 'Not like this.'), 200, -32_602],
  ])('what the engine refuses (%#)', async ([problem, status, code]) => {
    await using agent = await openTestAgent({
      wrap: (engine) =>
        Object.assign(Object.create(engine) as typeof engine, {
          assistant: engine.assistant.bind(engine),
          assistants: engine.assistants.bind(engine),
          begin: () => Promise.reject(problem),
        }),
    });
    const answer = await agent.call('echo', send(user('hi')));
    expect([answer.status, answer.body?.error]).toEqual([status, { code, message: problem.message }]);
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '3' : null);
    expect(answer.body?.id).toBe('r1');
  });

  test('an unforeseen error tells nothing but where it is logged', async () => {
    const lines: string[] = [];
    await using agent = await openTestAgent({
      log: createLog({ level: 'error', write: (line) => void lines.push(line) }),
      wrap: (engine) =>
        Object.assign(Object.create(engine) as typeof engine, {
          assistant: engine.assistant.bind(engine),
          assistants: engine.assistants.bind(engine),
          begin: () => Promise.reject(new Error('password=hunter2')),
        }),
    });
    const { body, text: answered } = await agent.call('echo', send(user('hi')));
    expect(body?.error?.code).toBe(-32_603);
    expect(answered).not.toContain('hunter2');
    const [, request_id = 'none'] = /under ([\w-]+)\./.exec(body?.error?.message ?? '') ?? [];
    expect(lines.join()).toContain(request_id);
  });
});
