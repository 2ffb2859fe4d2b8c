import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixturePerTest } from '@roadstead/testing';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Event } from '@roadstead/contracts/control-plane';
import { uuidv7 } from '@roadstead/kit';
import { insertEvent } from '../events/event-store.ts';
import { createRequest, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/fixture.ts';
import { isSubscribed, TEST_KIND } from './webhook-rules.ts';

const fixture = useFixturePerTest(startFixture);

interface Came {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A receiver whose answers a test chooses. */
async function receiver(statusOf: (came: Came) => number = () => 204) {
  const came: Came[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const one = { headers: request.headers as Record<string, string>, body };
      came.push(one);
      response.writeHead(statusOf(one)).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  fixture().stack.use(server);
  fixture().stack.defer(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, came };
}

const happen = (kind: string, more: { workspace_id?: string; deployment_id?: string } = {}) =>
  fixture().db.transaction((tx) =>
    insertEvent(tx, { workspace_id: WORKSPACE, actor: 'a test', kind, ...more }),
  );
const dueNow = () => fixture().db.run('update outbox_messages set due_at = now()');

test('when an event is sent, then the official library takes its signature, under the event’s id', async () => {
  const client = fixture().client();
  const { url, came } = await receiver();
  const { secret, ...webhook } = await client.createWebhook({ body: { url, kinds: ['deployment'] } });
  expect(secret).toMatch(/^whsec_/);
  expect(await client.readWebhook({ params: { webhook_id: webhook.id } })).toEqual(webhook);
  const { id } = await client.createDeployment({ body: createRequest('told') });
  await expect.poll(() => came.length).toBe(1);
  const [{ body, headers }] = came as [Came];
  const sent = new Verifier(secret).verify(body, headers) as { type: string; timestamp: string; data: Event };
  const { items } = await client.listEvents({ query: { kind: 'deployment.created' } });
  expect(sent).toEqual({ type: 'deployment.created', timestamp: items[0]?.at, data: items[0] });
  expect(sent.data.deployment_id).toBe(id);
  expect(headers['webhook-id']).toBe(items[0]?.id);
  expect(() => new Verifier('whsec_AAAA').verify(body, headers)).toThrow(/signature/i);
  const deliveries = () => client.listWebhookDeliveries({ params: { webhook_id: webhook.id } });
  await expect
    .poll(async () => (await deliveries()).items)
    .toMatchObject([{ event_id: items[0]?.id, kind: 'deployment.created', state: 'delivered', attempts: 1 }]);
  expect(JSON.stringify(await fixture().db.query('select * from webhooks'))).not.toContain(secret.slice(6));
  expect(fixture().logged.join('')).not.toContain(secret.slice(6));
});

test('when a webhook gets a new secret, then it signs beside the earlier one until that ends', async () => {
  const client = fixture().client();
  const { url, came } = await receiver();
  const first = await client.createWebhook({ body: { url, kinds: ['n'] } });
  const params = { webhook_id: first.id };
  const second = await client.rotateWebhookSecret({ params });
  await happen('n.one');
  await expect.poll(() => came.length).toBe(1);
  const [{ body, headers }] = came as [Came];
  for (const { secret } of [first, second]) new Verifier(secret).verify(body, headers);
  await fixture().db.run('update webhooks set earlier_secret_until = now()');
  await happen('n.two');
  await expect.poll(() => came.length).toBe(2);
  const later = came[1] as Came;
  new Verifier(second.secret).verify(later.body, later.headers);
  expect(() => new Verifier(first.secret).verify(later.body, later.headers)).toThrow(/signature/i);
});

test('when a message is not taken, then it comes again under its id; none goes to other webhooks', async () => {
  const client = fixture().client();
  const answers = [500, 204];
  const patient = await receiver(() => answers.shift() ?? 204);
  const other = await receiver();
  await client.createWebhook({ body: { url: patient.url, kinds: ['n'] } });
  await fixture()
    .client(OTHER_WORKSPACE)
    .createWebhook({ body: { url: other.url, kinds: ['n'] } });
  await happen('n.mine');
  await expect.poll(() => patient.came.length).toBe(1);
  await expect
    .poll(() => fixture().db.query(`select state from outbox_messages where error = 'answered 500'`))
    .toHaveLength(1);
  await dueNow();
  await expect.poll(() => patient.came.length).toBe(2);
  expect(patient.came[0]?.headers['webhook-id']).toBe(patient.came[1]?.headers['webhook-id']);
  await happen('n.theirs', { workspace_id: OTHER_WORKSPACE });
  await expect.poll(() => other.came.length).toBe(1);
  expect(other.came[0]?.body).toContain('n.theirs');
  expect(patient.came).toHaveLength(2);
});

test('when the messages of an event can’t be written, then it is published at the next start', async () => {
  const client = fixture().client();
  const { url, came } = await receiver();
  await client.createWebhook({ body: { url, kinds: ['n'] } });
  await fixture().db.run('alter table outbox_messages add constraint broken check (false) not valid');
  await happen('n.one');
  await expect.poll(() => fixture().logged.some((line) => line.includes('broken'))).toBe(true);
  expect(await fixture().db.query(`select id from events where kind = 'n.one' and seq is not null`)).toEqual(
    [],
  );
  await fixture().db.run('alter table outbox_messages drop constraint broken');
  await fixture().restart();
  await expect.poll(() => came.length).toBe(1);
  expect((await client.listEvents({ query: { kind: 'n' } })).items).toHaveLength(1);
});

test('when a webhook fails for long, then it is disabled, in an event; enabled, it begins again', async () => {
  const client = fixture().client();
  const { url, came } = await receiver(() => 503);
  const watching = await receiver();
  const { id } = await client.createWebhook({ body: { url, kinds: ['n'] } });
  await client.createWebhook({ body: { url: watching.url, kinds: ['webhook'] } });
  const params = { webhook_id: id };
  await happen('n.one');
  await expect.poll(async () => (await client.readWebhook({ params })).failures).toBe(1);
  expect((await client.readWebhook({ params })).last_error).toBe('answered 503');
  // Many failures in a short time are not yet a reason.
  await fixture().db.run('update webhooks set failures = 30 where id = $1', [id]);
  await dueNow();
  await expect.poll(async () => (await client.readWebhook({ params })).failures).toBe(31);
  await fixture().db.run(`update webhooks set failing_since = now() - interval '61 minutes' where id = $1`, [
    id,
  ]);
  await dueNow();
  await expect.poll(async () => (await client.readWebhook({ params })).enabled).toBe(false);
  expect((await client.readWebhook({ params })).disabled_reason).toContain('answered 503');
  await expect.poll(() => watching.came.map(({ body }) => body).join()).toContain('webhook.disabled');
  await expect(client.testWebhook({ params })).rejects.toMatchObject({ status: 409 });
  const count = came.length;
  await happen('n.two');
  await client.listEvents({});
  expect(await fixture().db.query(`select id from outbox_messages where body like '%n.two%'`)).toEqual([]);
  expect(await client.patchWebhook({ params, body: { enabled: true } })).toMatchObject({
    enabled: true,
    failures: 0,
    disabled_reason: null,
  });
  await happen('n.three');
  await expect.poll(() => came.length).toBe(count + 1);
});

test('when an address is private, then it is not called, and the delivery says so', async () => {
  const client = fixture().client();
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]:1/',
    'http://0x0a000001/',
  ]) {
    const { id } = await client.createWebhook({ body: { url, kinds: ['none'] } });
    const params = { webhook_id: id };
    const { id: delivery } = await client.testWebhook({ params });
    await expect
      .poll(async () => (await client.listWebhookDeliveries({ params })).items)
      .toMatchObject([
        {
          id: delivery,
          state: 'dead',
          attempts: 1,
          error: expect.stringContaining('not a host of the public') as string,
        },
      ]);
  }
  for (const url of ['ftp://a.example/', 'javascript:alert(1)', 'https://user:word@a.example/', 'nothing'])
    await expect(client.createWebhook({ body: { url } })).rejects.toMatchObject({ status: 400 });
});

test('when a webhook is made, changed or removed, then it is an event; one removed gets nothing', async () => {
  const client = fixture().client();
  const url = 'http://127.0.0.1:1/';
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push((await client.createWebhook({ body: { url } })).id);
  const first = await client.listWebhooks({ query: { page_size: 2 } });
  const rest = await client.listWebhooks({ query: { page_size: 2, cursor: first.next_cursor ?? '' } });
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
  expect(rest.next_cursor).toBeNull();
  expect(JSON.stringify(first)).not.toContain('secret');
  const params = { webhook_id: ids[0] ?? '' };
  await expect(client.patchWebhook({ params, body: { deployment_id: uuidv7() } })).rejects.toMatchObject({
    status: 400,
  });
  const { id: deployment_id } = await client.createDeployment({ body: createRequest('hooked') });
  expect(await client.patchWebhook({ params, body: { deployment_id, kinds: ['n'] } })).toMatchObject({
    deployment_id,
    kinds: ['n'],
    url,
  });
  expect(await client.patchWebhook({ params, body: { deployment_id: null } })).toMatchObject({
    deployment_id: null,
    kinds: ['n'],
  });
  await client.deleteWebhook({ params });
  await expect(client.deleteWebhook({ params })).rejects.toMatchObject({ status: 404 });
  const { items } = await client.listEvents({ query: { kind: 'webhook', page_size: 100 } });
  expect(items.map(({ kind }) => kind).sort()).toEqual([
    ...Array.from({ length: 2 }, () => 'webhook.changed'),
    ...Array.from({ length: 3 }, () => 'webhook.created'),
    'webhook.deleted',
  ]);
});

describe('which events a webhook gets', () => {
  const subscription = {
    id: 'w',
    workspace_id: 'mine',
    kinds: [],
    deployment_id: null,
    url: 'https://receiver.test/',
  };
  const event = {
    id: '1',
    at: '',
    kind: 'revision.status',
    revision_id: null,
    actor: '',
    from: null,
    to: null,
  };
  test.each<[string, object, object, boolean]>([
    ['all', {}, {}, true],
    ['those of a beginning', { kinds: ['a', 'revision'] }, {}, true],
    ['no word’s beginning', { kinds: ['rev'] }, {}, false],
    ['of its deployment', { deployment_id: 'd' }, { deployment_id: 'd' }, true],
    ['of no other deployment', { deployment_id: 'd' }, { deployment_id: 'e' }, false],
    ['nobody else’s', {}, { workspace_id: 'theirs' }, false],
    [
      'its own test, for any list of events',
      { kinds: ['x'] },
      { kind: TEST_KIND, detail: { webhook_id: 'w' } },
      true,
    ],
    ['nobody else’s test', {}, { kind: TEST_KIND, detail: { webhook_id: 'v' } }, false],
  ])('when something happens, then a webhook gets the right events: %s', (_what, asked, happened, wanted) => {
    const told = { ...event, workspace_id: 'mine', deployment_id: null, detail: {}, ...happened };
    expect(isSubscribed({ ...subscription, ...asked }, told)).toBe(wanted);
  });
});
