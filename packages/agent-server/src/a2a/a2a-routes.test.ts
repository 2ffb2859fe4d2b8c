import { assistantIdOf, isUuid } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import { asJson, rpc, send, send10, taskIn, user, user10 } from '../testing/rpc-messages.ts';
import { openTestAgent } from '../testing/test-agent.ts';

/** Both versions over real HTTP, as raw as curl sends them. */

describe('message/send and SendMessage', () => {
  test('when 0.3 sends the specification’s example, then both ids of an assistant serve', async () => {
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

  test('when 1.0 sends a message, then its task is wrapped, its state upper-case, header or not', async () => {
    await using agent = await openTestAgent();
    for (const options of [{}, { headers: { 'A2A-Version': '1.0' } }, { query: '?A2A-Version=1.0.2' }]) {
      const { body } = await agent.call('echo', send10(user10('Hi')), options);
      expect(body?.result).toMatchObject({
        task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Echo: Hi' }] }] },
      });
    }
  });

  test('when a task has several artifacts, then the newest comes first, in tasks/get too', async () => {
    await using agent = await openTestAgent();
    const task = taskIn((await agent.call('steps', send(user('?')))).body);
    expect(task.artifacts.map((one) => one.parts[0]?.text)).toEqual(['It is 42.', 'Let me see.']);
    expect(taskIn((await agent.call('steps', rpc('tasks/get', { id: task.id }))).body).artifacts).toEqual(
      task.artifacts,
    );
  });

  test('when a contextId comes, then it goes on; an ended task’s id begins a new task in 0.3 alone', async () => {
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

  test('when the same message comes again, then its task is the answer, also after a question', async () => {
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

  test('when a task asks a question, then text answers it, in either version', async () => {
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

  test('when a question is no text, then it is a data part, and so may be the answer', async () => {
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

  test('when a client does not wait, then it gets the committed task, which takes no message yet', async () => {
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

  test('when a graph throws, then its task has failed, and the call has not', async () => {
    await using agent = await openTestAgent();
    const task = taskIn((await agent.call('fail', send(user('hi')))).body);
    expect(task.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: expect.stringMatching(/^The agent failed; /) }] },
    });
  });

  test('when a message carries data, then it is the graph’s input; metadata comes from the payload', async () => {
    await using agent = await openTestAgent();
    const message = user('', { parts: [{ kind: 'data', data: { city: 'Rome' } }] });
    const payload = {
      ...send(message, { metadata: { thread_id: 'inner', a: 1 } }),
      metadata: { thread_id: 'trace', b: 2 },
    };
    const task = taskIn((await agent.call('data', payload)).body);
    expect(task.artifacts[0]?.parts[0]?.text).toBe('{"city":"Rome"}');
    expect(agent.engine.taken[0]).toMatchObject({
      tracing_thread_id: 'trace',
      metadata: { a: 1, b: 2 },
      context_id: undefined,
    });
    expect(agent.engine.taken[0]).not.toHaveProperty('metadata.thread_id');
    await agent.call('data', send({ ...message, messageId: 'other' }, { metadata: { thread_id: 'inner' } }));
    expect(agent.engine.taken[1]).toMatchObject({ tracing_thread_id: 'inner' });
  });

  test('when a client asks for a historyLength, then it gets that many messages, none with 0', async () => {
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

  test('when a notification comes, then it is taken and never answered, even a wrong one', async () => {
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
    const notification = (method: string, params: unknown = {}, more: object = {}) => ({
      jsonrpc: '2.0',
      method,
      params,
      ...more,
    });
    const wrong = [
      notification('message/ssend'),
      notification('message/stream'),
      notification('SendMessage', { message: { ...user('hi'), parts: [] } }),
      notification('tasks/get', { id: 'none' }),
      notification('tasks/get', { id: 'none' }, { metadata: 'text' }),
    ];
    for (const call of wrong) {
      const answer = await agent.call('gate', call, { headers: { accept: 'text/event-stream' } });
      expect([answer.status, answer.text]).toEqual([202, '']);
    }
    const nobody = await agent.call('nobody', notification('tasks/get', { id: 'none' }));
    expect([nobody.status, nobody.text, agent.engine.taken.length]).toEqual([202, '', 2]);
  });

  test.each(['7', '1.0', '-0', '1e2', '9007199254740993', '1e400', '"9"', 'null'])(
    'when a call has the id %s, then results, errors and events bring it back as it came',
    async (id) => {
      await using agent = await openTestAgent();
      const call = (method: string, params: object) =>
        `{"params":${JSON.stringify({ ...params, id: 1 })},"id":"before","\\u0069d" : ${id} ,"method":"${method}","jsonrpc":"2.0"}`;
      const calls: [string, object][] = [
        ['message/send', { message: user('"id":5') }],
        ['message/stream', { message: user('hi') }],
        ['tasks/get', { metadata: { id: [{ id: 3 }] } }],
        ['none', {}],
      ];
      for (const [method, params] of calls) {
        const { text } = await agent.call('echo', call(method, params));
        const ids = text.match(/\{"jsonrpc":"2\.0","id":[^,]+,/g) ?? [];
        expect(ids.length).toBeGreaterThan(0);
        expect(new Set(ids)).toEqual(new Set([`{"jsonrpc":"2.0","id":${id},`]));
      }
    },
  );

  test('when a client goes away, then its task goes on', async () => {
    await using agent = await openTestAgent();
    const gone = new AbortController();
    const message = user('hi');
    const body = JSON.stringify(send(message));
    const going = agent
      .fetch(`${agent.url}/a2a/gate`, { method: 'POST', body, headers: asJson, signal: gone.signal })
      .catch(() => 'gone');
    await expect.poll(() => agent.engine.taken.length).toBe(1);
    gone.abort();
    expect(await going).toBe('gone');
    agent.release();
    expect(taskIn((await agent.call('gate', send(message))).body).status.state).toBe('completed');
  });
});
