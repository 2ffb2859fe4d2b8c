import { createLog, Problem } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import { asJson, rpc, send, send10, taskIn, user } from '../testing/rpc-messages.ts';
import { type CallOptions, openTestAgent, type Rpc } from '../testing/test-agent.ts';

/** What is wrong, in both versions over real HTTP. */

describe('errors', () => {
  const text = user('hi');
  const unknown = '00000000-0000-4000-8000-000000000000';
  const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object;
  const push = { pushNotificationConfig: { url: 'https://example.com/hook' } };
  const wishes = { configuration: { ...push, acceptedOutputModes: ['image/png'] } };
  const rows: [string, unknown, number, CallOptions?][] = [
    ['no JSON', '{"jsonrpc": "2.0"', -32_700],
    ['no body', '', -32_700],
    ['a form', 'jsonrpc=2.0&method=tasks%2Fget', -32_700],
    ['two calls', `${JSON.stringify(rpc('tasks/get'))}${JSON.stringify(rpc('tasks/get'))}`, -32_700],
    ['brackets without end', '['.repeat(500), -32_700],
    ['a batch', [rpc('tasks/get')], -32_600],
    ['an empty batch', [], -32_600],
    ['a batch of notifications', [{ jsonrpc: '2.0', method: 'tasks/get' }], -32_600],
    ...['null', 'true', '7', '"tasks/get"'].map((text): [string, unknown, number] => [text, text, -32_600]),
    ...[{ bad: 'type' }, ['7'], true].map((id): [string, unknown, number] => [
      `an id that is ${JSON.stringify(id)}`,
      { ...rpc('tasks/get'), id },
      -32_600,
    ]),
    ...['1.0', 2, null, undefined].map((jsonrpc): [string, unknown, number] => [
      `jsonrpc that is ${jsonrpc}`,
      { ...rpc('tasks/get'), jsonrpc },
      -32_600,
    ]),
    ['no method', { jsonrpc: '2.0', id: 7, params: {} }, -32_600],
    ...[1, null, {}, ['tasks/get']].map((method): [string, unknown, number] => [
      `a method that is ${JSON.stringify(method)}`,
      { ...rpc('x'), method },
      -32_601,
    ]),
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
    ...[[], 'text', 7, null].flatMap((params): [string, unknown, number][] => [
      [`params that are ${JSON.stringify(params)}`, rpc('message/send', params), -32_602],
      [`params of 1.0 that are ${JSON.stringify(params)}`, rpc('SendMessage', params), -32_602],
      [`params of a get that are ${JSON.stringify(params)}`, rpc('tasks/get', params), -32_602],
    ]),
    ['metadata in a list', { ...send(text), metadata: [] }, -32_602],
    ['data nested too deep', send({ ...text, parts: [{ kind: 'data', data: deep }] }), -32_602],
    ['a part without a kind', send({ ...text, parts: [{ text: 'hi' }] }), -32_602],
    ['no messageId', send({ ...text, messageId: undefined }), -32_602],
    ['no params', { jsonrpc: '2.0', id: 7, method: 'message/send' }, -32_602],
    ['params of another shape', rpc('message/send', { '': 'not_a_dict' }), -32_602],
    ['no parts', send({ ...text, parts: [] }), -32_602],
    ['a foreign role', send({ ...text, role: 'bogus' }), -32_602],
    ['a 0.3 message in 1.0', send10(text), -32_602],
    ['a file without content', send({ ...text, parts: [{ kind: 'file', file: { name: 'a' } }] }), -32_602],
    ['pictures only, please', send(text, { configuration: { acceptedOutputModes: ['image/png'] } }), -32_005],
    ['a push config', send(text, { configuration: push }), -32_003],
    ['an unknown task in a message', send({ ...text, taskId: unknown }), -32_001],
    ['an unknown task', rpc('tasks/get', { id: unknown }), -32_001],
    ['an unknown task in 1.0', rpc('GetTask', { id: 'no uuid' }), -32_001],
    ['tasks/get without id', rpc('tasks/get', {}), -32_602],
    ['a negative historyLength', rpc('tasks/get', { id: unknown, historyLength: -1 }), -32_602],
    ['a trace thread that is no text', { ...send(text), metadata: { thread_id: 5 } }, -32_602],
    ['text below the limit of nothing', send({ ...text, parts: [{ kind: 'text' }] }), -32_602],
    ...['tasks/cancel', 'CancelTask', 'tasks/resubscribe', 'SubscribeToTask'].flatMap(
      (method): [string, unknown, number][] => [
        [`${method} of an unknown task`, rpc(method, { id: unknown }), -32_001],
        [`${method} without id`, rpc(method, { taskId: unknown }), -32_602],
        [`${method} of a list`, rpc(method, { id: [unknown] }), -32_602],
      ],
    ),
    ['an unknown task before what the client wants', send({ ...text, taskId: unknown }, wishes), -32_001],
    ...[
      { pageSize: 0 },
      { pageSize: 101 },
      { page_size: -1 },
      { pageSize: 1.5 },
      { pageToken: 'nonsense' },
      { pageToken: 7 },
      { pageToken: Buffer.from('2030-01-01T00:00:00Z none').toString('base64url') },
      { historyLength: -1 },
      { status: 'TASK_STATE_RUNNING' },
      { status: 'working' },
      { statusTimestampAfter: 'yesterday' },
      { statusTimestampAfter: '2030-02-31' },
      { includeArtifacts: 'yes' },
      { contextId: 5 },
    ].map((params): [string, unknown, number] => [
      `ListTasks with ${JSON.stringify(params)}`,
      rpc('ListTasks', params),
      -32_602,
    ]),
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
  test('when a call is wrong, then it gets the code of its fault, with HTTP 200, under its own id', async () => {
    await using agent = await openTestAgent();
    const got = [];
    for (const [name, payload, , options] of rows) {
      const headers = { accept: 'application/json', ...options?.headers };
      const { status, body } = await agent.call('echo', payload, { ...options, headers });
      got.push([name, body?.error?.code, status, typeof body?.error?.message, body?.id]);
    }
    const idOf = (payload: unknown) => {
      const { id } = (typeof payload === 'string' ? {} : payload) as { id?: unknown };
      return typeof id === 'string' || typeof id === 'number' ? id : null;
    };
    expect(got).toEqual(rows.map(([name, payload, code]) => [name, code, 200, 'string', idOf(payload)]));
    expect(agent.engine.taken).toEqual([]);
  });

  test('when a body is JSON by its type or has none, then it is read as UTF-8, with or without BOM', async () => {
    await using agent = await openTestAgent();
    const post = async (body: string | Uint8Array<ArrayBuffer>, type?: string) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await agent.fetch(`${agent.url}/a2a/echo`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      });
      return (await answer.json()) as Rpc;
    };
    const types = [undefined, 'application/a2a+json', 'Application/JSON; charset=utf-8', 'text/json'];
    for (const type of types)
      expect((await post(JSON.stringify(send(user('hi'))), type)).result).toBeDefined();
    const others = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'json',
      'a/b+json',
    ];
    for (const type of others) {
      const { id, error } = await post(JSON.stringify(send(user('hi'))), type);
      expect([id, error?.code]).toEqual([null, -32_005]);
    }
    expect((await post(`\ufeff${JSON.stringify(send(user('hi')))}`)).result).toBeDefined();
    const latin = Uint8Array.from(Buffer.from(JSON.stringify(send(user('Grüße'))), 'latin1'));
    const utf16 = Uint8Array.from(Buffer.from(JSON.stringify(send(user('hi'))), 'utf16le'));
    for (const bytes of [latin, utf16]) expect((await post(bytes)).error?.code).toBe(-32_700);
  });

  test.for<[string, string, boolean]>([
    ['text/event-stream', 'an event', true],
    ['text/event-stream, application/json;q=0.9', 'an event', true],
    ['application/json;q=0.1, text/*', 'an event', true],
    ['*/*', 'JSON', false],
    ['application/json', 'JSON', false],
    ['application/json, text/event-stream;q=0.5', 'JSON', false],
  ])(
    'when a stream fails before it begins, then who accepts %s reads the error as %s',
    async ([accept, , as_event]) => {
      await using agent = await openTestAgent();
      const streams = ['tasks/resubscribe', 'message/stream', 'SubscribeToTask', 'SendStreamingMessage'];
      for (const method of [...streams, 'message/sstream']) {
        const { status, headers, events, body } = await agent.call('echo', rpc(method), {
          headers: { accept },
        });
        const type = as_event ? 'text/event-stream' : 'application/json';
        expect([method, status, headers.get('content-type')]).toEqual([method, 200, type]);
        const told = as_event ? events : [body];
        expect(told.map((one) => [one?.id, one?.error !== undefined])).toEqual([[7, true]]);
      }
      const { body } = await agent.call('echo', rpc('GetTask'), { headers: { accept } });
      expect(body?.error?.code).toBe(-32_602);
    },
  );

  test('when a client names an unsupported version, then the error lists the supported ones', async () => {
    await using agent = await openTestAgent();
    const { body } = await agent.call('echo', rpc('GetTask'), { headers: { 'A2A-Version': '2.0' } });
    expect(body?.error).toMatchObject({
      message: expect.stringContaining('0.3, 1.0'),
      data: [{ reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '0.3, 1.0' } }],
    });
  });

  test('when text is sent to a graph without messages, then the error names the graph’s fields', async () => {
    await using agent = await openTestAgent();
    const { body } = await agent.call('data', send(user('hi')));
    expect(body?.error).toMatchObject({ code: -32_602, message: expect.stringContaining('city, days') });
  });

  test('when a call names an unknown assistant, then the error is -32602', async () => {
    await using agent = await openTestAgent();
    for (const assistant of ['nobody', unknown, '__proto__'])
      expect((await agent.call(assistant, send(user('hi')))).body?.error?.code).toBe(-32_602);
  });

  test('when a task is another caller’s, then it looks like none, and its context is a new one', async () => {
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

  test('when a key is wrong, a GET comes or a body is too large, then it is 401, 405 or 413', async () => {
    await using agent = await openTestAgent();
    const none = await agent.call('echo', send(user('hi')), { key: 'wrong' });
    expect([none.status, none.body?.jsonrpc, none.headers.get('www-authenticate')]).toEqual([
      401,
      '2.0',
      expect.stringContaining('Bearer'),
    ]);
    const get = await agent.fetch(`${agent.url}/a2a/echo`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    const large = await agent.call('echo', `"${'x'.repeat(26_214_400)}"`);
    expect([large.status, large.body?.jsonrpc]).toEqual([413, '2.0']);
  });

  test('when a body is larger than the setting allows, then it is refused, its length told or not', async () => {
    await using agent = await openTestAgent({ max_body_bytes: 2000 });
    expect((await agent.call('echo', send(user('x'.repeat(1000))))).body?.error).toBeUndefined();
    const large = JSON.stringify(send(user('x'.repeat(2000))));
    const streamed = new Response(large).body;
    const unannounced = { method: 'POST', body: streamed, duplex: 'half' } as RequestInit;
    for (const init of [{ method: 'POST', body: large, headers: asJson }, unannounced]) {
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
  ])(
    'when the engine refuses a message, then the answer has the status and code for it (%#)',
    async ([problem, status, code]) => {
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
    },
  );

  test('when an unforeseen error occurs, then only the log shows it, under the request’s id', async () => {
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
