import { createServer } from 'node:http';
import { uuidv7 } from '@roadstead/kit';
import { expect } from 'vitest';
import { type Fixture, type FixtureOptions, startFixture, WORKSPACE } from './observability-fixture.ts';

/** Rules have a project, a dataset, a queue and a receiver of webhooks here, and runs that they act on. */

/** Rules act on runs that end after them, each once. */

type Client = ReturnType<Fixture['client']>;

export async function started(options: FixtureOptions = {}) {
  const fixture = await startFixture(options);
  const client = fixture.client();
  const session = await client.createSession({ body: { name: 'watched' } });
  const dataset = await client.createDataset({ body: { name: 'collected', data_type: 'kv' } });
  const queue_id = uuidv7();
  await fixture.fresh.db.run(
    `insert into traces.annotation_queues (workspace_id, id, name, queue_type, enable_reservations, reviewer_access_mode,
       created_at, updated_at) values ($1, $2, 'to review', 'single', false, 'any', now(), now())`,
    [WORKSPACE, queue_id],
  );
  return {
    fixture,
    client,
    session_id: session.id,
    dataset_id: dataset.id,
    queue_id,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}
type RulesFixture = Awaited<ReturnType<typeof started>>;

const soon = () => new Date(Date.now() + 1000).toISOString();

/** A root run that has ended, or a child of another. */
export async function sendRun(
  { fixture, session_id }: RulesFixture,
  more: { readonly id?: string; readonly trace_id?: string; readonly [name: string]: unknown } = {},
): Promise<string> {
  const id = more.id ?? uuidv7();
  const trace_id = more.trace_id ?? id;
  const body = JSON.stringify({
    id,
    trace_id,
    dotted_order: `20260105T000000000000Z${trace_id}${trace_id === id ? '' : `.20260105T000000000001Z${id}`}`,
    name: 'answer',
    run_type: 'chain',
    session_id,
    start_time: new Date().toISOString(),
    end_time: soon(),
    inputs: { question: 'why?' },
    outputs: { answer: 'because' },
    ...more,
  });
  expect((await fixture.send('/runs', { method: 'POST', body })).status).toBe(202);
  return id;
}

export const logsOf = async (client: Client, rule_id: string) =>
  client.listRuleLogs({ params: { rule_id }, query: {} });
export const settledLogs = async (client: Client, { rule_id, count }: { rule_id: string; count: number }) => {
  await expect
    .poll(
      async () =>
        (await logsOf(client, rule_id)).filter((log) => log.application_time !== null || log.error !== null)
          .length,
    )
    .toBe(count);
  return logsOf(client, rule_id);
};

/** Waits until the runs are digested, and drops the decisions on them. */
export const nothingDecided = async ({ fixture }: RulesFixture) => {
  await expect
    .poll(async () =>
      fixture.fresh.db.one(`select (select count(*) from traces.changes) as undigested,
          (select count(*) from traces.rule_runs) as decided`),
    )
    .toEqual({ undigested: 0, decided: 0 });
};

/** Receives webhooks, and records them. */
export async function receiver(answer: () => number = () => 204) {
  const came: { body: string; headers: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      came.push({
        body: Buffer.concat(pieces).toString(),
        headers: request.headers as Record<string, string>,
      });
      response.writeHead(answer()).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    came,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
