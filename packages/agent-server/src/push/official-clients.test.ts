import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { useFixture } from '@roadstead/testing';
import { A2AClient, ClientFactory as OldClientFactory } from 'a2a-sdk-v03/client';
import {
  ClientFactoryOptions as OldClientFactoryOptions,
  JsonRpcTransportFactory as OldTransportFactory,
} from 'a2a-sdk-v03/client';
import { expect, test } from 'vitest';
import { listeningAgent } from '../testing/listening-agent.ts';

/** The official clients register, read and remove who is to be told of a task, and a receiver hears of it. */

type PushNotification = Readonly<Record<string, unknown>>;

const came: { readonly token: unknown; readonly body: PushNotification }[] = [];
const receiver = useFixture(async () => {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const token = request.headers['x-a2a-notification-token'];
      came.push({ token, body: JSON.parse(text) as PushNotification });
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
});
const listening = useFixture(listeningAgent);
const url = () => `http://127.0.0.1:${(receiver().address() as AddressInfo).port}/hook`;

/** Cards name the deployment's public address. */
const fetchImpl: typeof fetch = (input, init) => {
  const asked = new Request(input, init);
  return fetch(new Request(asked.url.replace('http://roadstead.test/agents/agent', listening().url), asked));
};

const message = (text: string) => ({
  kind: 'message' as const,
  role: 'user' as const,
  messageId: crypto.randomUUID(),
  parts: [{ kind: 'text' as const, text }],
});

async function oldClient(): Promise<A2AClient> {
  return A2AClient.fromCardUrl(`${listening().url}/.well-known/agent-card.json?assistant_id=gate`, {
    fetchImpl,
  });
}

/** Begins a task that waits at a gate; answers its id and what opens the gate. */
async function waiting() {
  const client = await oldClient();
  const gate = crypto.randomUUID();
  const sent = await client.sendMessage({
    message: message(`wait ${gate}`),
    configuration: { blocking: false },
  });
  if (!('result' in sent) || sent.result.kind !== 'task') throw new Error('no task');
  const { id } = sent.result;
  return { id, open: () => client.sendMessage({ message: message(`open ${gate}`) }) };
}

async function connect(legacy: boolean): Promise<Client> {
  const options = legacy ? { fetchImpl, legacyCompat: { enabled: true } } : { fetchImpl };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory(options)],
      cardResolver: new DefaultAgentCardResolver(options),
    }),
  );
  const version = legacy ? '&A2A-Version=0.3' : '';
  const address = `${listening().url}/.well-known/agent-card.json?assistant_id=gate${version}`;
  const card: unknown = await (await fetchImpl(address)).json();
  return factory.createFromAgentCard(card as Parameters<typeof factory.createFromAgentCard>[0]);
}

const told = (token: string) => came.filter((one) => one.token === token).map(({ body }) => body);

test.for([
  ['', false],
  [' speaking 0.3', true],
] as const)('when @a2a-js/sdk 1.3.0%s sets configs, then it manages them and is told', async ([, legacy]) => {
  const client = await connect(legacy);
  expect(client.protocolVersion).toBe(legacy ? '0.3' : '1.0');
  const { id: taskId, open } = await waiting();
  const token = crypto.randomUUID();
  const tenant = '';
  const wanted = (id: string) =>
    TaskPushNotificationConfig.fromJSON({ taskId, id, url: url(), token: `${token} ${id}` });
  const kept = await client.createTaskPushNotificationConfig(wanted('mine'));
  expect(kept).toMatchObject({ taskId, id: 'mine', url: url() });
  await client.createTaskPushNotificationConfig(wanted('other'));
  expect(await client.getTaskPushNotificationConfig({ tenant, taskId, id: 'mine' })).toEqual(kept);
  const page = { tenant, taskId, pageSize: 10, pageToken: '' };
  const { configs } = await client.listTaskPushNotificationConfig(page);
  expect(configs.map(({ id }) => id).toSorted()).toEqual(['mine', 'other']);
  await client.deleteTaskPushNotificationConfig({ tenant, taskId, id: 'other' });
  expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([kept]);
  await expect(client.getTaskPushNotificationConfig({ tenant, taskId, id: 'other' })).rejects.toThrow();
  await open();
  const end = legacy
    ? { kind: 'task', id: taskId, status: { state: 'completed' } }
    : { statusUpdate: { taskId, status: { state: 'TASK_STATE_COMPLETED' } } };
  await expect.poll(() => told(`${token} mine`).at(-1)).toMatchObject(end);
  expect(JSON.stringify(told(`${token} other`))).not.toMatch(/completed/i);
});

test('when @a2a-js/sdk 1.3.0 sends a config with a message, then it is told', async () => {
  const client = await connect(false);
  const token = crypto.randomUUID();
  const sent = await client.sendMessage(
    SendMessageRequest.fromJSON({
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
      configuration: { taskPushNotificationConfig: { url: url(), token } },
    }),
  );
  const { id: taskId } = sent as { id: string };
  const completed = { statusUpdate: { taskId, status: { state: 'TASK_STATE_COMPLETED' } } };
  await expect.poll(() => told(token).at(-1)).toMatchObject(completed);
});

test('when both clients of @a2a-js/sdk 0.3.14 set configs, then they are told', async () => {
  const former = await oldClient();
  const factory = new OldClientFactory(
    OldClientFactoryOptions.createFrom(OldClientFactoryOptions.default, {
      transports: [new OldTransportFactory({ fetchImpl })],
    }),
  );
  const client = await factory.createFromAgentCard(await former.getAgentCard());
  const { id, open } = await waiting();
  const token = crypto.randomUUID();
  const other = { taskId: id, pushNotificationConfig: { id: 'other', url: url(), token } };
  const set = await client.setTaskPushNotificationConfig(other);
  expect(set).toMatchObject({ taskId: id, pushNotificationConfig: { id: 'other', url: url() } });
  const mine = { taskId: id, pushNotificationConfig: { id: 'mine', url: url(), token } };
  expect(await former.setTaskPushNotificationConfig(mine)).toHaveProperty('result');
  const named = { id, pushNotificationConfigId: 'other' };
  expect(await client.getTaskPushNotificationConfig(named)).toEqual(set);
  expect(await former.getTaskPushNotificationConfig(named)).toMatchObject({ result: set });
  expect(await client.listTaskPushNotificationConfig({ id })).toHaveLength(2);
  await client.deleteTaskPushNotificationConfig(named);
  const left = await former.listTaskPushNotificationConfig({ id });
  expect(left).toMatchObject({ result: [{ pushNotificationConfig: { id: 'mine' } }] });
  await open();
  const end = { kind: 'task', id, status: { state: 'completed' } };
  await expect.poll(() => told(token).at(-1)).toMatchObject(end);
});
