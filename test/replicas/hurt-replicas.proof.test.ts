import { setTimeout } from 'node:timers/promises';
import { useFixture } from '@roadstead/testing';
import { afterAll, expect, test } from 'vitest';
import { dataHome } from '../support/platform.ts';
import { startReplicatedPlatform } from '../support/replicas/replicated-platform.ts';
import type { ReplicaProcess } from '../support/replicas/replica-process.ts';
import { services, TWO_OF_EACH } from '../support/replicas/replica-settings.ts';
import { startLoad } from './load.ts';
import { PROJECT, SPOKEN, saidIn } from './users.ts';

/** Each process of two of everything is killed, paused and drained in turn, and those who call lose nothing. */

const home = useFixture(dataHome);
const platform = useFixture(() => startReplicatedPlatform(home().path));
const load = useFixture(() => startLoad(platform()));

const PAUSED_MS = 5000;
/** What everybody has done twice goes on. */
const KINDS = [
  'message',
  'next frame',
  'ingestion',
  'trace read',
  'tools read',
  'refresh',
  'deployment read',
];
const patience = { timeout: 60_000, interval: 50 };

async function goesOn(): Promise<void> {
  const began = Date.now();
  const counts = () => KINDS.filter((kind) => load().ledger.since(began).countOf(kind) < 2);
  await expect.poll(counts, patience).toEqual([]);
}

interface Hurt {
  readonly most_ms: number;
  readonly deal: (one: ReplicaProcess) => Promise<void>;
}

/** A process that is paused still takes connections, until the balancer knows better. */
const hurts: Readonly<Record<string, Hurt>> = {
  killed: {
    most_ms: 2000,
    deal: async (one) => {
      await one.kill();
      await goesOn();
      await one.start();
    },
  },
  paused: {
    most_ms: 10_000,
    deal: async (one) => {
      one.pause();
      await setTimeout(PAUSED_MS);
      one.resume();
    },
  },
  drained: {
    most_ms: 2000,
    deal: async (one) => {
      expect(await one.stop()).toBe(0);
      await one.start();
    },
  },
};

/** Where there is one of a service, its lease is another matter. */
const cases = services.flatMap((service) =>
  Array.from({ length: TWO_OF_EACH[service] === 1 ? 0 : TWO_OF_EACH[service] }, (_, at) =>
    Object.keys(hurts).map((hurt) => ({ service, number: at + 1, hurt })),
  ).flat(),
);

interface Row {
  readonly what: string;
  readonly longest: Readonly<Record<string, number>>;
  readonly retried: Readonly<Record<string, number>>;
}
const rows: Row[] = [];
afterAll(() => {
  for (const { what, longest, retried } of rows)
    process.stdout.write(`${what}: ${JSON.stringify(longest)} ms, asked again ${JSON.stringify(retried)}\n`);
});

test.each(cases)(
  'when $service $number is $hurt, then all calls are answered in time',
  { timeout: 180_000 },
  async ({ service, number, hurt }) => {
    const { most_ms, deal } = hurts[hurt] ?? { most_ms: 0, deal: async () => undefined };
    const one = platform().replicas.process(service, number);
    await goesOn();
    const began = Date.now();
    await deal(one);
    await expect.poll(() => platform().replicas.healthOf(one), patience).toBe('serving');
    await goesOn();
    const came = load().ledger.since(began);
    rows.push({ what: `${service} ${number} ${hurt}`, longest: came.longest(), retried: came.retried() });
    expect(came.faults).toEqual([]);
    const late = Object.entries(came.longest()).filter(([, took_ms]) => took_ms > most_ms);
    expect(late).toEqual([]);
  },
);

test('when all of that is over, then what was acknowledged is there, and nothing twice', async () => {
  await load().end();
  const { messages, runs, revisions, access_tokens } = load().acknowledged;
  expect(load().ledger.faults).toEqual([]);
  const read = async <T>(path: string) => (await (await platform().fetch(platform().url + path)).json()) as T;
  for (const { thread_id, text } of messages) {
    const thread = `/agents/${SPOKEN}/threads/${thread_id}`;
    const of_thread = await read<{ status: string }[]>(`${thread}/runs`);
    expect([thread_id, of_thread.map(({ status }) => status)]).toEqual([thread_id, ['success']]);
    const { values } = await read<{ values: Parameters<typeof saidIn>[0] }>(`${thread}/state`);
    expect(saidIn(values)).toEqual([text, `heard: ${text}`]);
  }
  for (const { id, text } of runs)
    expect(await read(`/runs/${id}`)).toMatchObject({ id, inputs: { text }, status: 'success' });
  const [project] = await read<{ id: string; run_count: number }[]>(
    `/sessions?name=${PROJECT}&include_stats=true`,
  );
  expect(project?.run_count).toBe(runs.length);
  const { deployment_id } = load().world;
  const listed = await read<{ resources: { id: string; status: string }[] }>(
    `/v2/deployments/${deployment_id}/revisions?limit=100`,
  );
  const made = listed.resources.map(({ id }) => id);
  expect(made.slice(0, -1).toReversed()).toEqual(revisions.slice(-(made.length - 1)));
  const authorization = `Bearer ${access_tokens.at(-1)}`;
  expect((await fetch(`${platform().url}/sessions`, { headers: { authorization } })).status).toBe(200);
});
