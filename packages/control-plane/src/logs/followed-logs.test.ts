import { expect, test } from 'vitest';
import { EventReader } from '../testing/event-reader.ts';
import { lineId, linesAfter, positionOf } from './log-rules.ts';
import { appendLogs } from './log-store.ts';
import { line, useLoggedDeployments } from '../testing/logged-deployment.ts';

const { fixture, begin, append } = useLoggedDeployments();

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
