import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { EventReader } from '../testing/event-reader.ts';
import type { FakeListener } from '../testing/fake-listener.ts';
import { deploy, LISTENER_ID, startFixture } from '../testing/fixture.ts';
import { lineId, linesAfter, positionOf, quotas } from './log-rules.ts';
import { appendLogs } from './log-store.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

async function begin(): Promise<{ deployment_id: string; revision_id: string; listener: FakeListener }> {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'logged');
  const news = await listener.next(id);
  return { deployment_id: id, revision_id: news.revision?.id ?? '', listener };
}

const line = (message: string) => ({ at: '2026-01-01T00:00:00.000Z', level: 'INFO' as const, message });

test('when a listener appends lines, then they are read once, in both orders, page by page', async () => {
  const { deployment_id, revision_id, listener } = await begin();
  const append = (seq: number, messages: string[], kind: 'build' | 'server' = 'build') =>
    listener.client.appendLogs({
      params: { listener_id: LISTENER_ID, deployment_id },
      body: { fence: listener.fence, revision_id, kind, writer: 'life-1', seq, lines: messages.map(line) },
    });
  await append(0, ['a', 'b', 'c']);
  await append(1, ['d']);
  await append(1, ['d']);
  await append(2, []);
  await append(3, ['e', 'f']);
  await append(0, ['server line'], 'server');

  const client = fixture().client();
  const read = async (order: 'asc' | 'desc', limit: number) => {
    const lines: { id: string; message: string }[] = [];
    let offset: string | undefined;
    for (;;) {
      const page = await client.readRevisionLogs({
        params: { deployment_id, revision_id },
        query: { type: 'build', order, limit, ...(offset === undefined ? {} : { offset }) },
      });
      lines.push(...page.logs);
      if (page.next_offset === null) return lines;
      offset = page.next_offset;
    }
  };
  for (const limit of [1, 2, 3, 100]) {
    expect((await read('asc', limit)).map((one) => one.message).join('')).toBe('abcdef');
    expect((await read('desc', limit)).map((one) => one.message).join('')).toBe('fedcba');
  }
  expect(new Set((await read('asc', 2)).map((one) => one.id)).size).toBe(6);

  const tail = await client.readRevisionLogs({
    params: { deployment_id, revision_id },
    query: { type: 'build' },
  });
  await append(4, ['g']);
  const more = await client.readRevisionLogs({
    params: { deployment_id, revision_id },
    query: { type: 'build', offset: tail.next_offset ?? '' },
  });
  expect(more.logs.map((one) => one.message)).toEqual(['g']);
  const server = await client.readDeploymentLogs({ params: { deployment_id } });
  expect(server.logs).toMatchObject([
    { message: 'server line', level: 'INFO', timestamp: '2026-01-01T00:00:00.000Z' },
  ]);
  await expect(
    client.readDeploymentLogs({ params: { deployment_id }, query: { offset: 'nonsense' } }),
  ).rejects.toMatchObject({ status: 400 });
});

const minute = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();

test('when lines are filtered by level, text or time, then both orders have them, and pages end', async () => {
  const { deployment_id, revision_id } = await begin();
  const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
  const all = Array.from({ length: 120 }, (_, at) => ({
    at: minute(at),
    level: levels[at % 7 === 0 ? 4 : at % 4] ?? 'INFO',
    message: at % 3 === 0 ? `Needle ${at}` : `hay ${at}`,
  }));
  for (let seq = 0; seq < 60; seq += 1)
    await appendLogs(fixture().db, {
      deployment_id,
      revision_id,
      kind: 'server',
      writer: 'w',
      seq,
      lines: all.slice(seq * 2, seq * 2 + 2),
    });
  // Chunks from before their contents were noted.
  await fixture().db.run(
    'update log_chunks set first_at = null, last_at = null, levels = null where seq < 10',
  );
  const read = async (query: object) => {
    const found: string[] = [];
    let offset: string | undefined;
    for (;;) {
      const page = await client().readDeploymentLogs({
        params: { deployment_id },
        query: { ...query, ...(offset === undefined ? {} : { offset }) },
      });
      found.push(...page.logs.map((one) => one.message));
      if (page.next_offset === null) return found;
      offset = page.next_offset;
    }
  };
  const cases: [object, (line: (typeof all)[number]) => boolean][] = [
    [{ level: 'ERROR' }, ({ level }) => level === 'ERROR' || level === 'CRITICAL'],
    [{ query: 'nEEdle' }, ({ message }) => message.startsWith('Needle')],
    [{ start_time: minute(30), end_time: minute(90) }, ({ at }) => at >= minute(30) && at < minute(90)],
    [
      { start_time: '2026-01-01T02:10:00+01:00', level: 'CRITICAL', query: 'hay' },
      ({ at, level, message }) => at >= minute(70) && level === 'CRITICAL' && message.startsWith('hay'),
    ],
    [{ query: 'nowhere' }, () => false],
  ];
  for (const [filter, isWanted] of cases) {
    const wanted = all.filter(isWanted).map((line) => line.message);
    for (const limit of [9, 1000]) {
      expect(await read({ ...filter, limit })).toEqual(wanted);
      expect(await read({ ...filter, limit, order: 'desc' })).toEqual(wanted.toReversed());
    }
  }
  for (const query of [{ level: 'LOUD' }, { start_time: 'yesterday' }])
    await expect(read(query)).rejects.toMatchObject({ status: 422 });
});

test('when a rare line is looked for in a large log, then each page does bounded work', async () => {
  const { deployment_id, revision_id } = await begin();
  const hay = 'x'.repeat(1_500_000);
  for (let seq = 0; seq < 25; seq += 1)
    await appendLogs(fixture().db, {
      deployment_id,
      revision_id,
      kind: 'server',
      writer: 'w',
      seq,
      lines: [line(seq === 24 ? 'needle' : hay)],
    });
  const look = (offset?: string) =>
    client().readDeploymentLogs({
      params: { deployment_id },
      query: { query: 'needle', ...(offset === undefined ? {} : { offset }) },
    });
  const first = await look();
  expect(first.logs).toEqual([]);
  const second = await look(first.next_offset ?? '');
  expect(second.logs.map((one) => one.message)).toEqual(['needle']);
  expect(await look(second.next_offset ?? '')).toEqual({ logs: [], next_offset: null });
});

const MB = 1_000_000;

test('when a log is above its quota, then it loses its oldest chunks', async () => {
  const { deployment_id, revision_id } = await begin();
  const half = 'x'.repeat(quotas.build / 4);
  for (let seq = 0; seq < 9; seq += 1)
    await appendLogs(fixture().db, {
      deployment_id,
      revision_id,
      kind: 'build',
      writer: 'w',
      seq,
      lines: [line(`${seq}${half}`)],
    });
  const { logs } = await client().readRevisionLogs({
    params: { deployment_id, revision_id },
    query: { type: 'build' },
  });
  expect(logs.map((one) => one.message[0])).toEqual(['6', '7', '8']);
  const kept = await fixture().db.one<{ noted: number; real: number; stored: number }>(
    `select (select bytes from logs) as noted, sum(bytes)::bigint as real, sum(length(body))::bigint as stored from log_chunks`,
  );
  expect(kept.noted).toBe(kept.real);
  expect(kept.real).toBeLessThanOrEqual(quotas.build);
  expect(kept.stored).toBeLessThan(kept.real / 100);
});

test('when a build log is above 10 MB, or a server log above 100 MB, then its oldest chunks go', async () => {
  expect(quotas).toEqual({ build: 10 * MB, server: 100 * MB });
  const { deployment_id, revision_id } = await begin();
  const append = (seq: number) =>
    appendLogs(fixture().db, {
      deployment_id,
      revision_id,
      kind: 'server',
      writer: 'w',
      seq,
      lines: [line(`${seq}`)],
    });
  for (const seq of [0, 1, 2, 3]) await append(seq);
  // Each pretends to hold 24 MB: below the quota by 4, until another one comes.
  await fixture().db.run('update log_chunks set bytes = $1', [24 * MB]);
  await fixture().db.run('update logs set bytes = $1', [96 * MB]);
  await append(4);
  await fixture().db.run('update log_chunks set bytes = $1 where seq = 4', [24 * MB]);
  await fixture().db.run('update logs set bytes = $1', [120 * MB]);
  await append(5);
  const kept = await fixture().db.query<{ seq: number }>('select seq from log_chunks order by seq');
  expect(kept.map((one) => one.seq)).toEqual([2, 3, 4, 5]);
});

test('when several writers append chunks at once, then all are kept', async () => {
  const { deployment_id, revision_id } = await begin();
  await Promise.all(
    ['p', 'q', 'r'].flatMap((writer) =>
      [0, 1, 2, 3].map((seq) =>
        appendLogs(fixture().db, {
          deployment_id,
          revision_id,
          kind: 'server',
          writer,
          seq,
          lines: [line(`${writer}${seq}`)],
        }),
      ),
    ),
  );
  const { logs } = await client().readDeploymentLogs({ params: { deployment_id } });
  expect(logs).toHaveLength(12);
});

test('when reading begins at a line’s id, then it goes on after that line', () => {
  const chunks = [
    { id: 1, lines: ['a', 'b'] },
    { id: 4, lines: ['c'] },
  ];
  const messages = (order: 'asc' | 'desc', offset?: string) =>
    linesAfter(order === 'asc' ? chunks : chunks.toReversed(), { after: positionOf(offset), order })
      .map((one) => one.line)
      .join('');
  expect(messages('asc')).toBe('abc');
  expect(messages('desc')).toBe('cba');
  expect(messages('asc', lineId({ chunk_id: 1, index: 0 }))).toBe('bc');
  expect(messages('desc', lineId({ chunk_id: 1, index: 1 }))).toBe('ca');
});

test('when an older address is asked as the original’s CLI does, then it gives the same lines', async () => {
  const { deployment_id, revision_id, listener } = await begin();
  const append = (kind: 'build' | 'server', lines: object[]) =>
    fixture().send(`/v2/listeners/${LISTENER_ID}/assignments/${deployment_id}/logs`, {
      method: 'POST',
      headers: { 'x-api-key': 'rs_listener' },
      body: JSON.stringify({ fence: listener.fence, revision_id, kind, writer: kind, seq: 0, lines }),
    });
  await append('build', [line('installing'), { ...line('no such package'), level: 'ERROR' }]);
  await append('server', [line('started')]);
  const ask = async (path: string, body: object, mount = '') => {
    const answer = await fixture().send(`${mount}/v1/projects/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const { logs = [], ...rest } = (await answer.json()) as { logs?: { message: string }[] };
    return { status: answer.status, messages: logs.map((one) => one.message), rest };
  };
  const build = `${deployment_id}/revisions/${revision_id}/build_logs`;
  const tail = await ask(build, { order: 'desc', limit: 30 });
  expect(tail.messages).toEqual(['no such package', 'installing']);
  const first = await ask(build, { order: 'asc', limit: 1 }, '/api-host');
  expect(first.messages).toEqual(['installing']);
  const { next_offset } = first.rest as { next_offset?: string };
  expect((await ask(build, { order: 'asc', limit: 50, offset: next_offset })).messages).toEqual([
    'no such package',
  ]);
  const nulls = { level: 'ERROR', query: null, start_time: null, end_time: null, offset: null, order: null };
  expect((await ask(build, nulls)).messages).toEqual(['no such package']);
  const deploy = `${deployment_id}/revisions/${revision_id}/deploy_logs`;
  expect((await ask(deploy, {})).messages).toEqual(['started']);
  expect((await ask(`${deployment_id}/deploy_logs`, { query: 'START' })).messages).toEqual(['started']);
  expect(
    (await ask(`${deployment_id}/deploy_logs`, { start_time: '2027-01-01T00:00:00+00:00' })).messages,
  ).toEqual([]);
  expect((await ask(`${revision_id}/deploy_logs`, {})).status).toBe(404);
  expect((await ask(build.replace(revision_id, deployment_id), {})).status).toBe(404);
  expect((await ask(build, { limit: 1001 })).status).toBe(422);
  expect((await ask(build, { level: 'LOUD' })).status).toBe(422);
});

const append = (of: { deployment_id: string; revision_id: string }, seq: number, messages: string[]) =>
  appendLogs(fixture().db, { ...of, kind: 'server', writer: 'w', seq, lines: messages.map(line) });

test('when a log is read at the original’s newer address, then it comes in pages with a cursor', async () => {
  const { deployment_id, revision_id } = await begin();
  const of = { deployment_id, revision_id };
  for (let seq = 0; seq < 5; seq += 1) await append(of, seq, [`${seq}a`, `${seq}b`]);
  await appendLogs(fixture().db, { ...of, kind: 'build', writer: 'w', seq: 0, lines: [line('built')] });
  const query = async (asked: object) => client().queryDeploymentLogs({ query: { deployment_id, ...asked } });
  for (const sort_order of ['asc', 'desc'] as const) {
    const read: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await query({ sort_order, page_size: 3, ...(cursor === undefined ? {} : { cursor }) });
      read.push(...page.items.map(({ message }) => message));
      cursor = page.next_cursor;
    }
    const all = ['0a', '0b', '1a', '1b', '2a', '2b', '3a', '3b', '4a', '4b'];
    expect(read).toEqual(sort_order === 'asc' ? all : all.reverse());
  }
  const messages = async (asked: object) => (await query(asked)).items.map(({ message }) => message);
  expect(await messages({ log_type: 'BUILD', revision_id })).toEqual(['built']);
  expect(await messages({ query: '3' })).toEqual(['3a', '3b']);
  expect(await messages({ level: 'ERROR' })).toEqual([]);
  const refused: [object, number][] = [
    [{ page_size: 101 }, 422],
    [{ log_type: 'build' }, 422],
    [{ deployment_id: revision_id }, 404],
    [{ revision_id: deployment_id }, 404],
    [{ run_id: deployment_id }, 400],
    [{ sort_order: 'desc', follow: 'true' }, 400],
  ];
  for (const [asked, status] of refused) await expect(query(asked)).rejects.toMatchObject({ status });
});

test('when a run id is sent in any form, then it is refused, since it can’t be applied', async () => {
  const { deployment_id, revision_id } = await begin();
  const run_id = deployment_id;
  for (const path of [
    `revisions/${revision_id}/build_logs`,
    `revisions/${revision_id}/deploy_logs`,
    'deploy_logs',
  ]) {
    const body = (named: string | null) => ({ method: 'POST', body: JSON.stringify({ run_id: named }) });
    const at = `/v1/projects/${deployment_id}/${path}`;
    expect((await fixture().send(at, body(run_id))).status).toBe(400);
    expect((await fixture().send(at, body(null))).status).toBe(200);
  }
  for (const path of ['logs', `revisions/${revision_id}/logs`])
    expect((await fixture().send(`/v2/deployments/${deployment_id}/${path}?run_id=${run_id}`)).status).toBe(
      400,
    );
});

test('when a log is followed again, then it goes on without loss or repeat, at either instance', async () => {
  const { deployment_id, revision_id } = await begin();
  const of = { deployment_id, revision_id };
  await append(of, 0, ['a', 'b', 'c']);
  const follow = (path: string, headers: Record<string, string> = {}) =>
    EventReader.open<{ id: string; message: string }>((init) => fixture().send(path, init), headers);
  const at = `/v2/deployments/${deployment_id}`;
  await using tail = await follow(`${at}/logs?limit=2&follow=true`, { accept: 'application/json' });
  await using whole = await follow(`${at}/revisions/${revision_id}/logs?type=deploy`);
  await using rare = await follow(`/v2/deployment-logs?deployment_id=${deployment_id}&query=needle`);
  const next = async (reader: typeof tail, count: number) => {
    const read: string[] = [];
    while (read.length < count) read.push((await reader.next()).message);
    return read.join('');
  };
  expect([await next(tail, 2), await next(whole, 3)]).toEqual(['bc', 'abc']);
  // Appended without this instance, so that it is found by polling.
  await append(of, 1, ['d']);
  const last = await whole.next();
  expect(last.message).toBe('d');
  await append(of, 2, ['e', 'needle', 'f']);
  expect(await next(tail, 4)).toBe('deneedlef');
  expect((await rare.next()).message).toBe('needle');
  await using again = await follow(`${at}/logs`, { 'last-event-id': last.id });
  expect(await next(again, 3)).toBe('eneedlef');
  for (let seq = 3; seq < 60; seq += 1) await append(of, seq, [`${seq},`]);
  await append(of, 60, ['needle']);
  expect((await rare.next()).message).toBe('needle');
  expect(await next(again, 58)).toBe(`${Array.from({ length: 57 }, (_, at) => `${at + 3},`).join('')}needle`);
  expect((await fixture().send(`${at}/logs?follow=true&order=desc`)).status).toBe(400);
  expect((await fixture().send(`${at}/logs?follow=true`, { headers: { 'last-event-id': 'x' } })).status).toBe(
    400,
  );
});

test('when two build logs grow at once, then they are followed without loss or repeat', async () => {
  const { deployment_id, revision_id } = await begin();
  const rows = await fixture().db.query<{ id: string }>('select id from revisions where deployment_id = $1', [
    deployment_id,
  ]);
  expect(rows).toHaveLength(2);
  await using reader = await EventReader.open<{ id: string; message: string }>((init) =>
    fixture().send(`/v2/deployments/${deployment_id}/logs?type=build`, init),
  );
  const of = { deployment_id, kind: 'build' as const, seq: 0 };
  const writing = Array.from({ length: 60 }, (_, at) =>
    appendLogs(fixture().db, {
      ...of,
      revision_id: rows[at % 2]?.id ?? revision_id,
      writer: `w${at}`,
      lines: [line(`m${at}`)],
    }),
  );
  const read: string[] = [];
  while (read.length < 60) read.push((await reader.next()).message);
  expect(new Set(read).size).toBe(60);
  await Promise.all(writing);
});
