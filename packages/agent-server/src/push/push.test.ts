import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import type { MethodCall } from '../a2a/methods/method-call.ts';
import { cancelTask } from '../a2a/methods/task-methods.ts';
import { type OpenAgent, openAgent } from '../testing/open-agent.ts';

/** Clients of a real agent that are told of their tasks, in both versions. */

async function receiver() {
  const came: { readonly headers: object; readonly body: Readonly<Record<string, unknown>> }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      came.push({ headers: request.headers, body: JSON.parse(text) as Record<string, unknown> });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    came,
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

interface Answer {
  readonly result?: Readonly<Record<string, unknown>> | readonly unknown[] | null;
  readonly error?: { readonly code: number; readonly message: string };
}

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const call = (agent: OpenAgent, method: string, params: object) => callAt(agent, 'agent', { method, params });

async function callAt(agent: OpenAgent, graph_id: string, asked: object): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...asked });
  const headers = { 'content-type': 'application/json', traceparent };
  const answer = await agent.ask(`/a2a/${graph_id}`, { method: 'POST', headers, body });
  return (await answer.json()) as Answer;
}

const messageId = () => crypto.randomUUID();

test('when a client of 1.0 sends a config along, then it is told until its task is completed', async () => {
  await using agent = await openAgent();
  await using hook = await receiver();
  await agent.serve(crypto.randomUUID());
  const sent = await call(agent, 'SendMessage', {
    message: { messageId: messageId(), role: 'ROLE_USER', parts: [{ text: 'Hi' }] },
    configuration: {
      taskPushNotificationConfig: {
        id: 'mine',
        url: hook.url,
        token: 't',
        authentication: { scheme: 'Bearer', credentials: 'abc' },
      },
    },
  });
  const { id } = (sent.result as { task: { id: string } }).task;
  const last = () => hook.came.at(-1)?.body['statusUpdate'] as { status?: { state?: string } } | undefined;
  await expect.poll(() => last()?.status?.state).toBe('TASK_STATE_COMPLETED');
  expect(hook.came[0]?.headers).toMatchObject({
    authorization: 'Bearer abc',
    'x-a2a-notification-token': 't',
    traceparent,
    'content-type': 'application/a2a+json',
  });
  expect(hook.came.some(({ body }) => 'artifactUpdate' in body)).toBe(true);
  const config = { taskId: id, id: 'mine', url: hook.url, authentication: { scheme: 'Bearer' } };
  expect(await call(agent, 'GetTaskPushNotificationConfig', { task_id: id, id: 'mine' })).toMatchObject({
    result: config,
  });
  const page = { configs: [config], nextPageToken: '' };
  expect((await call(agent, 'ListTaskPushNotificationConfigs', { taskId: id })).result).toEqual(page);
  for (let again = 0; again < 2; again += 1)
    expect(
      (await call(agent, 'DeleteTaskPushNotificationConfig', { taskId: id, id: 'mine' })).result,
    ).toEqual({});
  const gone = await call(agent, 'GetTaskPushNotificationConfig', { taskId: id, id: 'mine' });
  expect(gone.error?.code).toBe(-32_001);
});

test('when a config of 0.3 has no id, then it is that of its task, and is told the task itself', async () => {
  await using agent = await openAgent();
  await using hook = await receiver();
  await agent.serve(crypto.randomUUID());
  const sent = await call(agent, 'message/send', {
    message: { kind: 'message', messageId: messageId(), role: 'user', parts: [{ kind: 'text', text: 'Hi' }] },
    configuration: { pushNotificationConfig: { url: hook.url, token: 't' } },
  });
  const { id } = sent.result as { id: string };
  await expect
    .poll(() => hook.came.at(-1)?.body)
    .toMatchObject({ kind: 'task', id, status: { state: 'completed' } });
  expect(hook.came[0]?.headers).toMatchObject({ 'x-a2a-notification-token': 't' });
  const nested = { taskId: id, pushNotificationConfig: { id, url: hook.url } };
  expect((await call(agent, 'tasks/pushNotificationConfig/get', { id })).result).toEqual(nested);
  const other = { taskId: id, pushNotificationConfig: { id: 'b', url: hook.url } };
  expect((await call(agent, 'tasks/pushNotificationConfig/set', other)).result).toEqual(other);
  expect((await call(agent, 'tasks/pushNotificationConfig/list', { id })).result).toEqual([nested, other]);
  const both = { id, pushNotificationConfigId: 'b' };
  expect((await call(agent, 'tasks/pushNotificationConfig/delete', both)).result).toBeNull();
});

test('when a task is cancelled at its question, then it is told until its end', async () => {
  await using agent = await openAgent();
  await using hook = await receiver();
  await agent.serve(crypto.randomUUID());
  const sent = await callAt(agent, 'gate', {
    method: 'SendMessage',
    params: {
      message: { messageId: messageId(), role: 'ROLE_USER', parts: [{ text: 'ask' }] },
      configuration: { taskPushNotificationConfig: { url: hook.url } },
    },
  });
  const { id } = (sent.result as { task: { id: string } }).task;
  const states = () =>
    hook.came
      .map(({ body }) => (body['statusUpdate'] as { status: { state: string } } | undefined)?.status.state)
      .filter((state) => state !== undefined);
  await expect.poll(() => states().at(-1)).toBe('TASK_STATE_INPUT_REQUIRED');
  await callAt(agent, 'gate', { method: 'CancelTask', params: { id } });
  await expect.poll(() => states().at(-1)).toBe('TASK_STATE_CANCELED');
});

test('when the client of a cancel has gone, then the cancel is told as well', async () => {
  const woken: string[] = [];
  const task = { id: 't', status: { state: 'input-required' } };
  const cancelled = cancelTask({
    engine: { task: async () => task, cancel: () => Promise.reject(new Error('The client has gone.')) },
    codec: { decodeTaskId: () => ({ task_id: 't' }) },
    push: { wake: (task_id: string) => woken.push(task_id) },
  } as unknown as MethodCall);
  await expect(cancelled).rejects.toThrow('gone');
  expect(woken).toEqual(['t']);
});

describe('refused', () => {
  const agent = useFixture(openAgent);
  beforeAll(() => agent().serve(crypto.randomUUID()));

  test.each(['http://169.254.169.254/latest', 'http://[::1]/', 'https://10.0.0.1/', 'ftp://a.example/'])(
    'when a message wants to be told at %s, then it begins no task',
    async (url) => {
      const sent = await call(agent(), 'SendMessage', {
        message: { messageId: messageId(), role: 'ROLE_USER', parts: [{ text: 'Hi' }] },
        configuration: { taskPushNotificationConfig: { url } },
      });
      expect(sent.error).toMatchObject({ code: -32_602, message: expect.stringMatching(/^url: /) });
      expect((await call(agent(), 'ListTasks', {})).result).toMatchObject({ tasks: [] });
    },
  );

  test.each([
    ['an unknown task', { taskId: crypto.randomUUID(), url: 'https://a.example' }, -32_001],
    ['no address', { taskId: crypto.randomUUID() }, -32_602],
  ])('when a config has %s, then it is refused', async (_name, params, code) => {
    const { error } = await call(agent(), 'CreateTaskPushNotificationConfig', params);
    expect(error?.code).toBe(code);
  });
});
