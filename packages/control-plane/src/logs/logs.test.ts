import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeListener } from '../testing/fake-listener.ts';
import { deploy, type Fixture, LISTENER_ID, startFixture } from '../testing/fixture.ts';
import { lineId, linesAfter, positionOf, quotas } from './log-rules.ts';
import { appendLogs } from './log-store.ts';

let fixture: Fixture;
beforeEach(async () => (fixture = await startFixture()));
afterEach(() => fixture[Symbol.asyncDispose]());

async function begin(): Promise<{ deployment_id: string; revision_id: string; listener: FakeListener }> {
  const listener = fixture.listener();
  const { id } = await deploy(fixture, 'logged');
  const news = await listener.next(id);
  return { deployment_id: id, revision_id: news.revision?.id ?? '', listener };
}

const line = (message: string) => ({ at: '2026-01-01T00:00:00.000Z', level: 'INFO' as const, message });

test('what a listener appends is read in both orders, page by page, and once', async () => {
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

  const client = fixture.client();
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

test('a log above its quota loses its oldest chunks', async () => {
  const { deployment_id, revision_id } = await begin();
  const half = 'x'.repeat(quotas.build / 4);
  for (let seq = 0; seq < 9; seq += 1)
    await appendLogs(fixture.db, {
      deployment_id,
      revision_id,
      kind: 'build',
      writer: 'w',
      seq,
      lines: [line(`${seq}${half}`)],
    });
  const { logs } = await fixture.client().readRevisionLogs({
    params: { deployment_id, revision_id },
    query: { type: 'build' },
  });
  expect(logs.map((one) => one.message[0])).toEqual(['6', '7', '8']);
  const kept = await fixture.db.one<{ noted: number; real: number; stored: number }>(
    `select (select bytes from logs) as noted, sum(bytes)::bigint as real, sum(length(body))::bigint as stored from log_chunks`,
  );
  expect(kept.noted).toBe(kept.real);
  expect(kept.real).toBeLessThanOrEqual(quotas.build);
  expect(kept.stored).toBeLessThan(kept.real / 100);
});

test('chunks of several writers at once are all kept', async () => {
  const { deployment_id, revision_id } = await begin();
  await Promise.all(
    ['p', 'q', 'r'].flatMap((writer) =>
      [0, 1, 2, 3].map((seq) =>
        appendLogs(fixture.db, {
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
  const { logs } = await fixture.client().readDeploymentLogs({ params: { deployment_id } });
  expect(logs).toHaveLength(12);
});

test('a line’s id is the offset after it', () => {
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
