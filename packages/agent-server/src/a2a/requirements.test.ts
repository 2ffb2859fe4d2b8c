import { describe, expect, test } from 'vitest';
import { openTestAgent, type Rpc, type TestAgent } from '../testing/test-agent.ts';

/**
 * Requirements of A2A that the compatibility kits list and do not test, by the ids that the kit of 1.0 gives them. Those of
 * signatures are in `card-words.test.ts`, those of the deployment's own `auth` in `access/`.
 */

type Json = Readonly<Record<string, unknown>>;
const old = {
  send: (message: object, more: object = {}) =>
    rpc('message/send', { message: { kind: 'message', role: 'user', ...message }, ...more }),
  text: (text: string) => ({ messageId: crypto.randomUUID(), parts: [{ kind: 'text', text }] }),
};
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const taskOf = (body: Rpc | undefined) =>
  body?.result as unknown as { id: string; contextId: string; status: Json };

/** A task of the first key. */
async function begun(agent: TestAgent, graph: string) {
  return taskOf((await agent.call(graph, old.send(old.text('hi')))).body);
}

describe('AUTH-SERVER-002: each request must be authenticated', () => {
  test.for([
    'message/send',
    'message/stream',
    'tasks/get',
    'agent/getAuthenticatedExtendedCard',
    'ListTasks',
    'GetTask',
  ])('when %s comes without a valid key, then it is 401, before anything is said of it', async (method) => {
    await using agent = await openTestAgent();
    for (const key of ['', 'none']) {
      const { status, body } = await agent.call('ask', rpc(method, { id: 'x' }), { key });
      expect([status, body?.result]).toEqual([401, undefined]);
    }
    expect(agent.engine.taken).toEqual([]);
  });
});

describe('AUTH-SCOPE-001 to 003: what another caller owns is as good as not there', () => {
  test.for([
    ['tasks/get', (id: string) => rpc('tasks/get', { id })],
    ['GetTask', (id: string) => rpc('GetTask', { id })],
    ['message/send', (id: string) => old.send({ ...old.text('Ada'), taskId: id })],
    [
      'message/stream',
      (id: string) => ({ ...old.send({ ...old.text('Ada'), taskId: id }), method: 'message/stream' }),
    ],
    ['tasks/cancel', (id: string) => rpc('tasks/cancel', { id })],
    ['tasks/resubscribe', (id: string) => rpc('tasks/resubscribe', { id })],
  ] as const)('when %s asks for it, then the answer is that for an unknown task', async ([, call]) => {
    await using agent = await openTestAgent();
    const { id } = await begun(agent, 'ask');
    const [foreign, unknown] = await Promise.all([
      agent.call('ask', call(id), { key: 'second' }),
      agent.call('ask', call('01a00000-0000-7000-8000-000000000000'), { key: 'second' }),
    ]);
    expect(foreign.text).toBe(unknown.text);
    expect(foreign.text).toContain('"error"');
    expect(await begun(agent, 'ask')).toMatchObject({ status: { state: 'input-required' } });
  });

  test('when a caller names a context of another, then it is a new one', async () => {
    await using agent = await openTestAgent();
    const { contextId } = await begun(agent, 'memory');
    const { body } = await agent.call('memory', old.send({ ...old.text('me too'), contextId }), {
      key: 'second',
    });
    expect(body?.result).toMatchObject({ contextId, artifacts: [{ parts: [{ text: 'me too' }] }] });
  });
});

describe('AUTH-INTASK: a task that needs credentials', () => {
  test('when a task needs credentials, then it is auth-required and says why (001 to 003)', async () => {
    await using agent = await openTestAgent();
    const task = await begun(agent, 'login');
    expect(task.status).toMatchObject({
      state: 'auth-required',
      message: { parts: [{ text: 'Sign in at the bank.' }] },
    });
    const { body } = await agent.call('login', rpc('GetTask', { id: task.id }));
    expect(body?.result).toMatchObject({ status: { state: 'TASK_STATE_AUTH_REQUIRED' } });
  });

  test('when a message answers the task, then it goes on (006)', async () => {
    await using agent = await openTestAgent();
    const { id: taskId } = await begun(agent, 'login');
    const { body } = await agent.call('login', old.send({ ...old.text('done'), taskId }));
    expect(body?.result).toMatchObject({ id: taskId, status: { state: 'completed' } });
  });
});

describe('versions', () => {
  const versions = [
    ['0.3', 'message/send', 'completed'],
    ['0.3.0', 'message/send', 'completed'],
    ['0.3.7', 'message/send', 'completed'],
    ['1.0', 'SendMessage', 'TASK_STATE_COMPLETED'],
    ['1.0.0', 'SendMessage', 'TASK_STATE_COMPLETED'],
    ['1.0.9', 'SendMessage', 'TASK_STATE_COMPLETED'],
  ] as const;

  test.for(versions)(
    'when a call names %s, then it has that version’s words (VER-SERVER-001, VER-CLIENT-002)',
    async ([version, method, state]) => {
      await using agent = await openTestAgent();
      const is_old = version.startsWith('0');
      const message = is_old
        ? { kind: 'message', role: 'user', ...old.text('hi') }
        : { role: 'ROLE_USER', messageId: 'm', parts: [{ text: 'hi' }] };
      const headers = { 'A2A-Version': version };
      const { body } = await agent.call('echo', rpc(method, { message }), { headers });
      const task = is_old ? body?.result : body?.result?.['task'];
      expect(task).toMatchObject({ status: { state } });
      expect(JSON.stringify(task).includes('"kind"')).toBe(is_old);
      const other = await agent.call('echo', rpc(is_old ? 'SendMessage' : 'message/send', { message }), {
        headers,
      });
      expect(other.body?.error?.code).toBe(-32_601);
    },
  );
});
