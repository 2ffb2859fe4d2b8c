import { createGuardedFetch, createMailer } from '@roadstead/outbound';
import { createSecretBox, silentLog, uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { startMailbox } from '@roadstead/testing/smtp';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { openOutgoing } from '../outgoing.ts';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { receiver } from '../testing/rules-fixture.ts';
import { evaluateAlert } from './alert-work.ts';

const MINUTE_MS = 60_000;

/** A service whose clock is moved by hand, and a second instance beside it that evaluates alerts, too. */
async function started({ smtp_port }: { readonly smtp_port?: number } = {}) {
  const stack = new AsyncDisposableStack();
  const clock = { at_ms: Date.now() - 30 * MINUTE_MS, now: () => clock.at_ms };
  const mailer =
    smtp_port === undefined
      ? undefined
      : createMailer({ host: '127.0.0.1', port: smtp_port, security: 'none', from: 'R <r@example.com>' });
  const fixture = stack.use(await startFixture({ clock, ...(mailer === undefined ? {} : { mailer }) }));
  const { db } = fixture.fresh;
  const second = {
    db,
    clock,
    searching: { db, digest: { caughtUp: async () => undefined } },
    public_url: 'http://test',
    outbox: stack.use(
      openOutgoing({
        db,
        log: silentLog,
        secret_box: createSecretBox(['the secret key of tests']),
        outbound: createGuardedFetch({ allowed_hosts: ['127.0.0.1'] }),
        mailer,
      }),
    ),
  };
  const client = fixture.client();
  const create = (more: object = {}) =>
    client.createAlert({
      body: { name: 'errors', metric: 'errors', window_s: 300, comparison: 'above', threshold: 0, ...more },
    });
  const read = (alert_id: string) => client.readAlert({ params: { alert_id } });
  return {
    fixture,
    client,
    db,
    clock,
    second,
    create,
    read,
    log: async (alert_id: string) =>
      (await client.listAlertLog({ params: { alert_id }, query: { page_size: '100' } })).items,
    /** Time passes, and both instances evaluate the alert at once. */
    async pass(id: string, ms = MINUTE_MS) {
      clock.at_ms += ms;
      const key = { workspace_id: WORKSPACE, id };
      await Promise.all([1, 2, 3].map(async () => evaluateAlert(second, key)));
      await expect.poll(async () => Date.parse((await read(id)).evaluated_at ?? '')).toBe(clock.at_ms);
      return read(id);
    },
    async send(error: string | null = 'down') {
      const id = uuidv7();
      const start_time = new Date(clock.at_ms).toISOString();
      const run = {
        id,
        trace_id: id,
        dotted_order: `x${id}`,
        name: 'a',
        run_type: 'chain',
        session_name: 'p',
      };
      await fixture.post('/runs/batch', { post: [{ ...run, start_time, end_time: start_time, error }] });
    },
    /** What waits is sent without waiting. */
    hurry: () => db.run(`update traces.outbox_messages set due_at = now() where state = 'waiting'`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('alerts', () => {
  it('when a threshold is crossed and crossed back, then a webhook is called once each, signed', async () => {
    await using hook = await receiver();
    await using box = await started();
    const { id, webhooks } = await box.create({ webhooks: [{ url: hook.url }] });
    expect((await box.pass(id)).state).toBe('ok');
    await box.send();
    expect(await box.pass(id)).toMatchObject({ state: 'firing', value: 1 });
    expect((await box.pass(id)).state).toBe('firing');
    await expect.poll(() => hook.came.length).toBe(1);
    expect((await box.pass(id, 10 * MINUTE_MS)).state).toBe('ok');
    await expect.poll(() => hook.came.length).toBe(2);
    const told = hook.came.map(({ body, headers }) =>
      new Webhook(webhooks[0]?.secret ?? '').verify(body, headers),
    );
    expect(told).toMatchObject([
      {
        type: 'alert.firing',
        from: 'ok',
        to: 'firing',
        value: 1,
        url: `http://test/console/alerts/${id}`,
        alert: { id, name: 'errors' },
      },
      { type: 'alert.ok', value: 0 },
    ]);
    await expect
      .poll(() => box.log(id))
      .toMatchObject([
        { kind: 'transition', from: 'firing', to: 'ok', deliveries: [{ to: hook.url, state: 'delivered' }] },
        { kind: 'transition', from: 'ok', to: 'firing', notified: true },
      ]);
    expect((await box.read(id)).webhooks[0]?.secret).toBe('********');
  });

  it('when it is silenced, then nobody is told until the silence is over', async () => {
    await using hook = await receiver();
    await using box = await started();
    const { id } = await box.create({ webhooks: [{ url: hook.url }], window_s: 3600 });
    const muted_until = new Date(box.clock.at_ms + 5 * MINUTE_MS).toISOString();
    await box.client.patchAlert({ params: { alert_id: id }, body: { muted_until } });
    await box.send();
    expect((await box.pass(id)).state).toBe('silenced');
    expect((await box.pass(id, 4 * MINUTE_MS)).state).toBe('firing');
    await expect.poll(() => hook.came.length).toBe(1);
    expect((await box.log(id)).map(({ to, notified }) => [to, notified])).toEqual([
      ['firing', true],
      ['silenced', false],
    ]);
  });

  it('when the mail server is away and comes back, then each address has the mail once', async () => {
    const away = await startMailbox();
    const { port } = away;
    await away[Symbol.asyncDispose]();
    await using box = await started({ smtp_port: port });
    const mail_to = ['one@example.com', 'two@example.com'];
    const { id } = await box.create({ name: 'späte Läufe', mail_to });
    await box.send();
    await box.pass(id);
    await expect
      .poll(async () => (await box.log(id))[0]?.deliveries.map(({ error }) => error))
      .toEqual([expect.stringContaining('ECONNREFUSED'), expect.stringContaining('ECONNREFUSED')]);
    await using mailbox = await startMailbox({ port });
    await box.hurry();
    await expect
      .poll(async () => (await box.log(id))[0]?.deliveries.map(({ state }) => state))
      .toEqual(['delivered', 'delivered']);
    expect(mailbox.taken.map(({ to }) => to.join()).toSorted()).toEqual(mail_to);
    expect(mailbox.taken[0]?.source).toMatch(/^Message-ID: <[0-9a-f-]{36}@example\.com>/m);
    // Quoted-printable folds long lines.
    const unfolded = mailbox.taken[0]?.source.replaceAll('=\r\n', '');
    expect(unfolded).toContain(`http://test/console/alerts/${id}`);
    expect(mailbox.taken[0]?.source).toMatch(/^Subject: =\?UTF-8\?/m);
  });

  it('when an instance dies while it records, then the next one tells it, once', async () => {
    await using hook = await receiver();
    await using box = await started();
    const { id } = await box.create({ webhooks: [{ url: hook.url }] });
    await box.pass(id);
    await box.send();
    box.clock.at_ms += MINUTE_MS;
    const { second } = box;
    const dying = {
      ...second,
      outbox: { ...second.outbox, addAll: async () => Promise.reject(new Error('killed')) },
    };
    await expect(evaluateAlert(dying, { workspace_id: WORKSPACE, id })).rejects.toThrow('killed');
    expect((await box.read(id)).state).toBe('ok');
    expect((await box.pass(id)).state).toBe('firing');
    await expect.poll(() => hook.came.length).toBe(1);
    expect(await box.log(id)).toHaveLength(1);
  });

  it('when it is tested, then all channels are told, and the log shows it', async () => {
    await using hook = await receiver();
    await using box = await started();
    const { id } = await box.create();
    const params = { alert_id: id };
    await expect(box.client.testAlert({ params })).rejects.toMatchObject({ status: 409 });
    await box.client.patchAlert({ params, body: { webhooks: [{ url: hook.url }] } });
    expect(await box.client.testAlert({ params })).toMatchObject({ kind: 'test', notified: true });
    await expect.poll(() => hook.came.length).toBe(1);
    expect(JSON.parse(hook.came[0]?.body ?? '')).toMatchObject({ type: 'alert.test' });
    expect((await box.read(id)).state).toBe('ok');
  });

  it('when it cannot be measured, then it says why, and its state stays', async () => {
    await using box = await started();
    await box.send(null);
    const [project] = await box.client.listSessions({ query: { name: 'p' } });
    const { id } = await box.create({ project_ids: [project?.id ?? ''], metric: 'error_rate' });
    expect(await box.pass(id)).toMatchObject({ state: 'ok', value: 0, problem: null });
    await box.client.deleteSession({ params: { session_id: project?.id ?? '' } });
    expect(await box.pass(id)).toMatchObject({ state: 'ok', problem: 'There is no such tracing project.' });
  });

  it('when an alert is changed, then what is absent stays; and it belongs to its workspace', async () => {
    await using box = await started();
    const { id } = await box.create({ filter: 'eq(name, "a")', breaches_to_fire: 3 });
    const params = { alert_id: id };
    const changed = await box.client.patchAlert({ params, body: { threshold: 5, filter: null } });
    expect(changed).toMatchObject({ threshold: 5, filter: null, breaches_to_fire: 3, metric: 'errors' });
    const other = box.fixture.client(OTHER_WORKSPACE);
    for (const call of [other.readAlert, other.testAlert, other.deleteAlert])
      await expect(call({ params })).rejects.toMatchObject({ status: 404 });
    await box.client.deleteAlert({ params });
    expect((await box.client.listAlerts({ query: {} })).items).toEqual([]);
    expect(await box.db.query('select from traces.alert_log')).toEqual([]);
  });
});

describe('refused alerts', () => {
  const fixture = useFixture(startFixture);

  it.each([
    ['feedback without a key', { metric: 'feedback_average' }, 'feedback_key'],
    ['a threshold to resolve beyond it', { resolve_threshold: 1 }, 'resolve_threshold'],
    ['a filter that is none', { filter: 'eq(' }, 'filter'],
    ['mail where there is no mail server', { mail_to: ['a@example.com'] }, 'ROADSTEAD_SMTP_HOST'],
    ['an address that is none', { webhooks: [{ url: 'ftp://x' }] }, 'webhooks'],
  ])('when an alert has %s, then it is refused, and the field is named', async (_, more, named) => {
    const body = { name: 'a', metric: 'errors', window_s: 300, comparison: 'above', threshold: 0, ...more };
    const answer = await fixture().post('/v2/alerts', body);
    expect([answer.status, await answer.text()]).toEqual([
      expect.toBeOneOf([400, 422]),
      expect.stringContaining(named),
    ]);
  });
});
