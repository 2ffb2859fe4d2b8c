import { systemClock, uuidv7 } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { useFixture } from '@roadstead/testing';
import { array, assert, asyncProperty, nat, shuffledSubarray, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { IngestQueue } from '../ingestion/ingest-queue.ts';
import { decodeRun } from '../decoding/json-codec.ts';
import { decodeMultipart } from '../decoding/multipart-codec.ts';
import { beginReading } from '../decoding/sent-json-codec.ts';
import { PriceBook } from '../prices/price-book.ts';
import {
  multipartBody,
  multipartInit,
  type Part,
  startFixture,
  WORKSPACE,
} from '../testing/observability-fixture.ts';
import { writeFlush } from './flush-work.ts';
import { packed } from '../records/payload-packing.ts';

/** The record is the same for any order of its parts, which may come twice or separately. */

const fixture = useFixture(startFixture);

const stamp = (second: number) => `20260105T1020${String(second).padStart(2, '0')}000000Z`;
const instant = (second: number) => `2026-01-05T10:20:${String(second).padStart(2, '0')}Z`;

/** How much of a run's place clients send; the server derives the rest. */
type PlaceDetail = 'all' | 'traces' | 'parents';

/** A trace of a root, a child and a grandchild, sent in parts. */
function partsOf(ids: readonly [string, string, string], told: PlaceDetail): Part[] {
  const [root, child, leaf] = ids;
  const orders = ids.map((_, index) =>
    ids
      .slice(0, index + 1)
      .map((id, at) => stamp(at) + id)
      .join('.'),
  );
  const place = (index: number) => ({
    ...(index === 0 ? {} : { parent_run_id: ids[index - 1] }),
    ...(told === 'parents' ? {} : { trace_id: root }),
    ...(told === 'all' ? { dotted_order: orders[index] } : {}),
  });
  const post = (id: string, index: number, more: object): Part => [
    `post.${id}`,
    JSON.stringify({ id, name: `posted ${index}`, start_time: instant(index), ...place(index), ...more }),
  ];
  const patch = (id: string, index: number): Part => [
    `patch.${id}`,
    JSON.stringify({
      id,
      name: `patched ${index}`,
      end_time: instant(index + 30),
      tags: [`t${index}`],
      ...place(index),
    }),
  ];
  return [
    post(root, 0, { run_type: 'chain', session_name: 'permuted' }),
    [`post.${root}.inputs`, '{"at":"post"}'],
    [`post.${root}.extra`, '{"metadata":{"thread_id":"thread"}}'],
    patch(root, 0),
    [`patch.${root}.inputs`, '{"at":"patch"}'],
    [`patch.${root}.outputs`, '{"done":true}'],
    post(child, 1, { run_type: 'llm' }),
    [`post.${child}.outputs`, '{"usage_metadata":{"input_tokens":1,"output_tokens":1}}'],
    [`patch.${child}.outputs`, '{"usage_metadata":{"input_tokens":2,"output_tokens":5}}'],
    patch(child, 1),
    post(leaf, 2, { run_type: 'tool' }),
    [`patch.${leaf}.error`, '"it broke"'],
  ];
}

/** The runs that are read back, with the ids replaced by their place in the trace. */
async function recordOf(ids: readonly [string, string, string]): Promise<unknown> {
  const runs = await Promise.all(
    ids.map(async (id) => (await fixture().send(`/runs/${id}`)).json() as Promise<Record<string, unknown>>),
  );
  const [{ session_id } = {}] = runs;
  const kept = runs.map(({ trace_first_received_at: _1, last_queued_at: _2, ...run }) => run);
  const listed = await fixture().send('/runs/query', {
    method: 'POST',
    body: JSON.stringify({ trace: ids[0] }),
  });
  const strays = await fixture().fresh.db.query('select from traces.strays where run_id = any ($1)', [ids]);
  const traces = await fixture().fresh.db.query(
    `select run_count, total_tokens, thread_id from traces.traces where trace_id = any ($1)`,
    [ids],
  );
  const text = JSON.stringify({
    kept,
    listed: ((await listed.json()) as { runs: unknown[] }).runs.length,
    strays: strays.length,
    traces,
  });
  return JSON.parse(
    ids
      .reduce((all, id, index) => all.replaceAll(id, `<${index}>`), text)
      .replaceAll(String(session_id), '<session>'),
  );
}

async function send(requests: readonly (readonly Part[])[]): Promise<void> {
  for (const parts of requests) {
    const response = await fixture().send('/runs/multipart', multipartInit(parts));
    expect(response.status).toBe(202);
  }
}

const NO_PART: Part = ['', ''];
const newIds = () => [uuidv7(), uuidv7(), uuidv7()] as const;

it.each(['all', 'traces', 'parents'] as const)(
  'when parts come in any order (told: %s), then they give one record',
  async (told) => {
    const ids = newIds();
    await send([partsOf(ids, 'all')]);
    const expected = await recordOf(ids);
    expect(expected).toMatchObject({
      kept: [
        {
          name: 'patched 0',
          inputs: { at: 'patch' },
          thread_id: 'thread',
          total_tokens: 7,
          status: 'success',
        },
        { name: 'patched 1', thread_id: 'thread', total_tokens: 7, prompt_tokens: 2 },
        { name: 'posted 2', thread_id: 'thread', status: 'error', error: 'it broke' },
      ],
      listed: 3,
      strays: 0,
      traces: [{ run_count: 3, total_tokens: 7, thread_id: 'thread' }],
    });
    const count = partsOf(ids, told).length;
    const indices = Array.from({ length: count }, (_, index) => index);
    const schedule = tuple(
      shuffledSubarray(indices, { minLength: count }),
      array(nat(count - 1), { maxLength: 5 }),
      array(nat(count + 4), { maxLength: 6 }),
    ).map(([order, again, cuts]) => {
      const sequence = [...order, ...again];
      const bounds = [
        0,
        ...cuts.filter((cut) => cut < sequence.length).sort((a, b) => a - b),
        sequence.length,
      ];
      return bounds.slice(1).map((end, index) => sequence.slice(bounds[index], end));
    });
    await assert(
      asyncProperty(schedule, async (requests) => {
        const fresh = newIds();
        const parts = partsOf(fresh, told);
        await send(
          requests.filter((one) => one.length > 0).map((one) => one.map((at) => parts[at] ?? NO_PART)),
        );
        expect(await recordOf(fresh)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  },
);

it('when parts of one trace arrive at once, then all are taken', async () => {
  const ids = newIds();
  const parts = partsOf(ids, 'all');
  const halves = parts.map((part) => fixture().send('/runs/multipart', multipartInit([part])));
  const statuses = (await Promise.all(halves)).map((response) => response.status);
  expect(new Set(statuses)).toEqual(new Set([202]));
  expect(await recordOf(ids)).toMatchObject({ listed: 3, traces: [{ run_count: 3, total_tokens: 7 }] });
});

it('when a child names only its parent and both are written at once, then it is in its trace', async () => {
  const { db } = fixture().fresh;
  const requestOf = async (run: object) => {
    const { runs, ...others } = await decodeRun(Buffer.from(JSON.stringify(run)), beginReading());
    return { workspace_id: WORKSPACE, ...others, attachments: [], runs: await packed(runs) };
  };
  const [root, child] = [uuidv7(), uuidv7()];
  const posted = { run_type: 'chain', start_time: instant(1), session_name: 'permuted' };
  const requests = [
    await requestOf({ ...posted, id: child, parent_run_id: root, name: 'child' }),
    await requestOf({ ...posted, id: root, name: 'root' }),
  ];
  const unconcerned = { priceOf: () => undefined, onFeedback: async () => undefined };
  const written = Promise.withResolvers<void>();
  const may_commit = Promise.withResolvers<void>();
  const first = db.transaction(async (tx) => {
    await writeFlush(tx, { requests: requests.slice(0, 1), now_ms: Date.now(), ...unconcerned });
    written.resolve();
    await may_commit.promise;
  });
  await written.promise;
  const second = db.transaction((tx) =>
    writeFlush(tx, { requests: requests.slice(1), now_ms: Date.now(), ...unconcerned }),
  );
  await expect
    .poll(() => db.query(`select from pg_locks where locktype = 'advisory' and not granted`))
    .toHaveLength(1);
  may_commit.resolve();
  await Promise.all([first, second]);
  expect(await (await fixture().send(`/runs/${child}`)).json()).toMatchObject({ trace_id: root });
});

it('when two processes take parts of the same traces at once, then the records are whole', async () => {
  await using other = openDatabase({ url: fixture().fresh.url, max: 4, name: 'other' });
  const queues = [fixture().fresh.db, other].map(
    (db) =>
      new IngestQueue({
        db,
        blobs: fixture().blobs,
        book: new PriceBook(db, systemClock),
        clock: systemClock,
        gate: { requireRoom: async () => undefined },
        onFeedback: async () => undefined,
        written: () => undefined,
      }),
  );
  const traces = Array.from({ length: 12 }, newIds);
  const added = traces.flatMap((ids) =>
    partsOf(ids, 'all').map(async (part, index) => {
      const content_type = 'multipart/form-data; boundary=a0b1c2';
      const operations = await decodeMultipart(multipartBody([part]), { ...beginReading(), content_type });
      return queues[index % 2]?.add({ workspace_id: WORKSPACE, ...operations });
    }),
  );
  await Promise.all(added);
  for (const ids of traces) {
    expect(await recordOf(ids)).toMatchObject({
      kept: [{ name: 'patched 0', inputs: { at: 'patch' } }, { total_tokens: 7 }, { error: 'it broke' }],
      traces: [{ run_count: 3, total_tokens: 7, thread_id: 'thread' }],
      strays: 0,
    });
  }
});
