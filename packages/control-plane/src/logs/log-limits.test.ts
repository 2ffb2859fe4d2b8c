import { expect, test } from 'vitest';
import { quotas } from './log-rules.ts';
import { appendLogs } from './log-store.ts';
import { line, useLoggedDeployments } from '../testing/logged-deployment.ts';

const { fixture, client, begin } = useLoggedDeployments();

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
