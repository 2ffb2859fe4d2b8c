import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { driftOf } from '../testing/drift.ts';
import {
  killAtRandom,
  type KillableObservability,
  startKillable,
} from '../testing/killable-observability.ts';
import { multipartInit } from '../testing/observability-fixture.ts';

/**
 * kill -9 while traces and projects are deleted: afterwards they are gone completely, and the sums of the rest are
 * right.
 */

const SENDERS = 3;

interface SentTrace {
  readonly root: string;
  readonly child: string;
  readonly project: string;
}

async function send(service: KillableObservability, project: string): Promise<SentTrace> {
  const [root, child] = [uuidv7(), uuidv7()];
  const run = {
    trace_id: root,
    session_name: project,
    run_type: 'chain',
    start_time: new Date().toISOString(),
    inputs: { text: 'words '.repeat(100) },
  };
  const feedback = { id: uuidv7(), run_id: child, trace_id: root, key: 'good', score: 1 };
  const parts = [
    [`post.${root}`, JSON.stringify({ ...run, id: root, dotted_order: root, name: 'root' })],
    [
      `post.${child}`,
      JSON.stringify({
        ...run,
        id: child,
        parent_run_id: root,
        dotted_order: `${root}.${child}`,
        name: 'child',
      }),
    ],
    [`attachment.${child}.file`, `bytes of ${child}`, 'Content-Type: text/plain'],
    [`feedback.${feedback.id}`, JSON.stringify(feedback)],
  ] as const;
  await service.sendUntilTaken('/runs/multipart', () => multipartInit(parts));
  return { root, child, project };
}

/** The tables with a row that names one of these. */
async function tablesNaming({ db }: KillableObservability, ids: readonly string[]): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'traces' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.query(
      `select from traces.${name} t where t::text ~ any (array[array_to_string($1::text[], '|')]) limit 1`,
      [ids],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

it('when processes are killed while they delete, then all of it is gone, and the rest adds up', async () => {
  await using service = await startKillable();
  const { client, db } = service;
  const sent: SentTrace[] = [];
  const doomed: SentTrace[] = [];
  const over = new AbortController();
  const sender = async (index: number) => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      const project = `project ${index} ${count % 3 === 0 ? count : ''}`;
      const one = await send(service, project);
      sent.push(one);
      const path = count % 3 === 0 ? 'project' : count % 3 === 1 ? 'trace' : 'nothing';
      if (path === 'nothing') continue;
      await service.untilAnswered(async () => {
        const [session] = await client.listSessions({ query: { name: project } });
        // A repeated run may have been deleted already.
        if (session === undefined) return;
        const { id: session_id } = session;
        if (path === 'project') await client.deleteSession({ params: { session_id } });
        else await client.deleteRuns({ body: { session_id, trace_ids: [one.root] } });
      });
      doomed.push(one);
    }
  };
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, index) => sender(index)));
  await killAtRandom(service, () => doomed.length);
  over.abort();
  await senders;
  const ids = doomed.flatMap(({ root, child }) => [root, child]);
  await expect.poll(() => db.query('select from traces.deletions where completed_at is null')).toEqual([]);
  await expect.poll(() => tablesNaming(service, ids)).toEqual([]);
  const kept = sent.filter((one) => !doomed.includes(one));
  const { left } = await db.one<{ left: number }>(
    'select count(*) as left from traces.runs where run_id = any ($1::uuid[])',
    [kept.flatMap(({ root, child }) => [root, child])],
  );
  expect(left).toBe(2 * kept.length);
  // The files, except for those that a killed process was still receiving and had not acknowledged.
  const files = async () =>
    (await readdir(service.attachments, { recursive: true, withFileTypes: true }))
      .filter((file) => file.isFile() && !file.parentPath.endsWith('incoming'))
      .map(({ name }) => name)
      .toSorted();
  const expected = kept.map(({ child }) => createHash('sha256').update(`bytes of ${child}`).digest('hex'));
  await expect.poll(files).toEqual(expected.toSorted());
  expect(await driftOf(db)).toEqual([]);
}, 300_000);
