import { setTimeout } from 'node:timers/promises';
import { useFixture } from '@roadstead/testing';
import { afterAll, expect, test } from 'vitest';
import { dataHome } from '../support/platform.ts';
import { startReplicatedPlatform } from '../support/replicas/replicated-platform.ts';
import type { ReplicaProcess } from '../support/replicas/replica-process.ts';
import { services, TWO_OF_EACH } from '../support/replicas/replica-settings.ts';
import { startLoad } from './load.ts';
import { PROJECT, saidIn } from './users.ts';

/** Each process of two of everything is killed, paused and drained in turn, and those who call lose nothing. */

const home = useFixture(dataHome);
const platform = useFixture(() => startReplicatedPlatform(home().path, { requests_per_connection: 20 }));
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
const patience = { timeout: 100_000, interval: 50 };
/** A data plane that does not come back is missed once its lease has ended, and others begin from there. */
const LEASE_MS = 45_000;
const SILENT_MS = LEASE_MS + 15_000;

async function goesOn(): Promise<void> {
  const began = Date.now();
  const counts = () => KINDS.filter((kind) => load().ledger.since(began).countOf(kind) < 2);
  await expect.poll(counts, patience).toEqual([]);
}

interface Hurt {
  readonly most_ms: number;
  /** Where it happens to a data plane. */
  readonly most_of_agents_ms: number;
  readonly deal: (one: ReplicaProcess) => Promise<void>;
}

const pausedFor = (ms: number) => async (one: ReplicaProcess) => {
  one.pause();
  await setTimeout(ms);
  one.resume();
};

/** A process that is paused still takes connections, until the balancer knows better. */
const hurts: Readonly<Record<string, Hurt>> = {
  killed: {
    most_ms: 2000,
    most_of_agents_ms: LEASE_MS + 10_000,
    deal: async (one) => {
      await one.kill();
      await goesOn();
      await one.start();
    },
  },
  paused: { most_ms: 10_000, most_of_agents_ms: 10_000, deal: pausedFor(PAUSED_MS) },
  silent: { most_ms: Infinity, most_of_agents_ms: SILENT_MS + 10_000, deal: pausedFor(SILENT_MS) },
  drained: {
    most_ms: 2000,
    // A call waits until the engine is closed and open again, then for its first host.
    most_of_agents_ms: 10_000,
    deal: async (one) => {
      expect(await one.stop()).toBe(0);
      await one.start();
    },
  },
};

/** One that is silent for longer than a lease is a matter of data planes. */
const cases = services.flatMap((service) =>
  Array.from({ length: TWO_OF_EACH[service] }, (_, at) =>
    Object.keys(hurts)
      .filter((hurt) => hurt !== 'silent' || (service === 'data-plane' && at === 0))
      .map((hurt) => ({ service, number: at + 1, hurt })),
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
  // A machine that is busy with something else is late by itself.
  { timeout: 300_000, retry: 1 },
  async ({ service, number, hurt }) => {
    const { deal, ...of } = hurts[hurt] as Hurt;
    const most_ms = service === 'data-plane' ? of.most_of_agents_ms : of.most_ms;
    const one = platform().replicas.process(service, number);
    await goesOn();
    const began = Date.now();
    await deal(one);
    const is_back = () => service === 'data-plane' || platform().replicas.healthOf(one) === 'serving';
    await expect.poll(is_back, patience).toBe(true);
    await goesOn();
    const came = load().ledger.since(began);
    rows.push({ what: `${service} ${number} ${hurt}`, longest: came.longest(), retried: came.retried() });
    expect(came.faults).toEqual([]);
    // What a run had not finished begins again elsewhere, so what it says next may be late.
    const may_be_late = service === 'data-plane' ? 'next frame' : '';
    const late = Object.entries(came.longest()).filter(
      ([kind, took_ms]) => kind !== may_be_late && took_ms > most_ms,
    );
    expect(late).toEqual([]);
  },
);

const read = async <T>(path: string, init: RequestInit = {}) => {
  const headers = { 'content-type': 'application/json' };
  return (await (await platform().fetch(platform().url + path, { ...init, headers })).json()) as T;
};

test('when all of that is over, then each thread has one run and what it said', async () => {
  await load().end();
  expect(load().ledger.faults).toEqual([]);
  const left = [...load().acknowledged.threads];
  const check = async () => {
    for (let thread = left.pop(); thread !== undefined; thread = left.pop()) {
      const { path, said } = thread;
      const runs = await read<{ status: string }[]>(`${path}/runs`);
      const { values } = await read<{ values: Parameters<typeof saidIn>[0] }>(`${path}/state`);
      expect([path, runs.map(({ status }) => status), saidIn(values)]).toEqual([path, ['success'], said]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, check));
});

test('when all of that is over, then each trace is there, and no trace twice', async () => {
  const ids = load().acknowledged.runs.map(({ id }) => id);
  const [project] = await read<{ id: string; run_count: number }[]>(
    `/sessions?name=${PROJECT}&include_stats=true`,
  );
  expect(project?.run_count).toBe(ids.length);
  for (let at = 0; at < ids.length; at += 100) {
    const some = ids.slice(at, at + 100);
    const body = JSON.stringify({ id: some, limit: 100, select: ['id', 'inputs', 'status'] });
    const { runs } = await read<{
      runs: { id: string; status: string; inputs: { text: string } }[];
    }>('/runs/query', { method: 'POST', body });
    const found = runs.map(({ id, status, inputs }) => `${id} ${status} ${inputs.text}`);
    expect(found.toSorted()).toEqual(some.map((id) => `${id} success ${id}`).toSorted());
  }
});

test('when all of that is over, then each patch made one revision, and the last one serves', async () => {
  const { revisions, access_tokens } = load().acknowledged;
  const { deployment_id, first_revisions } = load().world;
  const path = `/v2/deployments/${deployment_id}/revisions?limit=100`;
  const { resources } = await read<{ resources: { id: string; status: string }[] }>(path);
  const made = resources.map(({ id }) => id).toReversed();
  expect(made.slice(first_revisions)).toEqual(revisions);
  expect(resources[0]?.status).toBe('DEPLOYED');
  const authorization = `Bearer ${access_tokens.at(-1)}`;
  expect((await fetch(`${platform().url}/sessions`, { headers: { authorization } })).status).toBe(200);
});
