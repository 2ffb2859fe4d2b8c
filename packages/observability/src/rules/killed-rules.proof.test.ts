import { createServer } from 'node:http';
import { uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { killAtRandom, startKillable } from '../testing/killable-observability.ts';

/**
 * kill -9 while rules act: each run is acted on once; webhooks may be called again, and the repetition bears the id
 * of the call.
 */

/** Receives webhooks, and records the calls by run. */
async function receiver() {
  const calls = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as { runs: { id: string }[] };
      for (const { id } of body.runs) {
        const known = calls.get(id) ?? new Set();
        calls.set(id, known.add(String(request.headers['webhook-id'])));
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

it('when processes are killed, then a rule still acts once on each run', async () => {
  await using hook = await receiver();
  await using service = await startKillable();
  const { client, db } = service;
  const { id: session_id } = await client.createSession({ body: { name: 'watched' } });
  const dataset = await client.createDataset({ body: { name: 'collected', data_type: 'kv' } });
  const queue = await client.createAnnotationQueue({ body: { name: 'to review' } });
  await client.createRule({
    body: {
      display_name: 'all',
      session_id,
      sampling_rate: 1,
      add_to_dataset_id: dataset.id,
      add_to_annotation_queue_id: queue.id,
      webhooks: [{ url: hook.url }],
    },
  });
  const sent: string[] = [];
  const over = new AbortController();
  const sending = async () => {
    while (!over.signal.aborted) {
      const id = uuidv7();
      const start_time = new Date().toISOString();
      const end_time = new Date(Date.now() + 1000).toISOString();
      const run = { id, session_id, name: 'answer', run_type: 'chain', start_time, end_time, inputs: { id } };
      const body = JSON.stringify({ ...run, trace_id: id, dotted_order: id, outputs: { id } });
      await service.sendUntilTaken('/runs', () => ({ method: 'POST', body }));
      sent.push(id);
    }
  };
  const sender = sending();
  await killAtRandom(service, () => hook.calls.size / 2);
  over.abort();
  await sender;
  // A call that was interrupted is repeated a minute later.
  await db.run(`update traces.outbox_messages set due_at = now() where state = 'waiting'`);
  const expected = sent.toSorted();
  const done = async () =>
    (
      await db.query<{ run_id: string }>(
        `select run_id from traces.rule_runs where state = 'done' order by 1`,
      )
    ).map((row) => row.run_id);
  await expect.poll(done).toEqual(expected);
  for (const [table, column] of [
    ['examples', 'source_run_id'],
    ['annotation_queue_items', 'run_id'],
  ] as const) {
    const rows = await db.query<{ id: string }>(`select ${column} as id from traces.${table} order by 1`);
    expect([table, rows.map(({ id }) => id)]).toEqual([table, expected]);
  }
  await expect.poll(() => [...hook.calls.keys()].toSorted()).toEqual(expected);
  expect([...hook.calls.values()].filter((ids) => ids.size !== 1)).toEqual([]);
}, 300_000);
