import { expect, test } from 'vitest';
import { LISTENER_ID } from '../testing/fixture.ts';
import { appendLogs } from './log-store.ts';
import { line, useLoggedDeployments } from '../testing/logged-deployment.ts';

const { fixture, client, begin, append } = useLoggedDeployments();

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
