import { useFixturePerTest } from '@roadstead/testing';
import { expect, test, vi } from 'vitest';
import type { HostLoad, Manifest, RunParams, RunResult } from '@roadstead/contracts/host';
import { silentLog } from '@roadstead/kit';
import { FEW_RUNS, MAX_UNACCEPTED } from './capacity-rules.ts';
import type { HostHandle } from './host-process.ts';
import type { RunSink } from './run-sink.ts';
import { RevisionHosts } from './revision-hosts.ts';

/** How many runs hosts are given, by what they say of themselves; the test moves the clock. */

const manifest: Manifest = { graphs: [], langgraph_version: null };
const done: RunResult = { outcome: 'success', interrupts: [], output: null };
const well: HostLoad = { late_ms: 3, busy: 0.5, heap: 0.2, resident_bytes: 200_000_000 };

interface FakeHost extends HostHandle {
  readonly given: string[];
  says(load: HostLoad): void;
  /** From here on it answers nothing. */
  stand(): void;
  /** From here on runs begin that it is given; before, they wait their turn in it. */
  begin(): void;
}

function fakeHost(sink: RunSink, start_takes_ms: number): FakeHost {
  const { promise: exited, resolve } = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const end = () => resolve('The graph host was ended by SIGKILL.');
  const given: string[] = [];
  let stands = false;
  return {
    pid: 1,
    stand: () => (stands = true),
    exited,
    out_of_memory: false,
    breach: undefined,
    refusal_code: undefined,
    begun: Promise.resolve(),
    given,
    says: (load) => sink.tell({ method: 'load', params: load }, []),
    begin: () => begun.resolve(),
    fetch: () => Promise.reject(new Error('No app.')),
    connect: () => Promise.reject(new Error('No app.')),
    ask: async (method, params) => {
      if (stands) await new Promise<never>(() => undefined);
      if (method === 'describe') await new Promise((started) => setTimeout(started, start_takes_ms));
      if (method === 'run') {
        given.push((params as RunParams).run_id);
        await begun.promise;
      }
      return { result: method === 'describe' ? manifest : {}, blobs: [] };
    },
    kill: end,
    stop: async () => end(),
    [Symbol.asyncDispose]: async () => end(),
  };
}

const stack = useFixturePerTest(() => {
  const opened = new AsyncDisposableStack();
  vi.useFakeTimers();
  opened.defer(() => void vi.useRealTimers());
  return opened;
});

/** @param further_ms how long the start of a host takes, but of the first */
async function openHosts(count: number, { jobs_per_host = 1000, max_hosts = 2, further_ms = 0 } = {}) {
  const hosts: FakeHost[] = [];
  const revision = new RevisionHosts({
    spawn: (sink) => {
      const host = fakeHost(sink, hosts.length === 0 ? 0 : further_ms);
      hosts.push(host);
      return host;
    },
    sink: { ask: () => Promise.reject(new Error('unused')), tell: () => undefined },
    jobs_per_host,
    max_hosts,
    min_hosts: 0,
    idle_ms: 900_000,
    start_ms: 60_000,
    unresponsive_ms: 60_000,
    onHosts: () => undefined,
    memory_mb: 1024,
    onTrouble: () => undefined,
    onNotice: () => undefined,
    log: silentLog,
  });
  stack().defer(async () => {
    const closed = revision[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(10_000);
    await closed;
  });
  // As the engine does: a run whose host ended is tried again.
  const run = (run_id: string, { attempt = 1, principal = 'a caller' } = {}): void =>
    void revision
      .run({ run_id, attempt } as RunParams, principal)
      .catch(() => attempt < 3 && run(run_id, { attempt: attempt + 1, principal }));
  for (let at = 0; at < count; at += 1) run(`${at}`);
  await pass(10);
  return {
    run,
    load: () => revision.load,
    settle: (run_id: string) => revision.settle({ run_id, attempt: 1 }, done),
    host: (at: number) => {
      const host = hosts[at];
      if (host === undefined) throw new Error(`There is no host ${at}.`);
      return host;
    },
    given: () => hosts.map((host) => host.given.length),
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('when a host’s loop is on time, then it has all 300 runs that wait', async () => {
  const { host, given } = await openHosts(300);
  expect(given()).toEqual([MAX_UNACCEPTED]);
  host(0).begin();
  await pass(10);
  // It has not said yet how it is.
  expect(given()).toEqual([FEW_RUNS]);
  host(0).says(well);
  await pass(10);
  expect(given()).toEqual([300]);
});

test.each<[string, Partial<HostLoad>]>([
  ['is late', { late_ms: 300 }],
  ['computes', { busy: 1 }],
  ['has little memory left', { heap: 0.8 }],
])('when a host %s, then it takes no more, and another one begins beside it', async (_, load) => {
  const { host, given } = await openHosts(300);
  host(0).begin();
  host(0).says({ ...well, ...load });
  await pass(1000);
  host(1).begin();
  await pass(10);
  host(1).says(well);
  await pass(10);
  const [few = 0, rest = 0] = given();
  expect(few).toBeLessThanOrEqual(FEW_RUNS);
  expect(few + rest).toBe(300);
});

test('when a host says nothing any more, then it takes no more', async () => {
  const { host, given } = await openHosts(20);
  host(0).begin();
  await pass(10);
  await pass(600);
  expect(given()[0]).toBe(FEW_RUNS);
});

const full: HostLoad = { ...well, resident_bytes: 800 * 1_048_576 };

test('when all runs of a host end after its memory was short, then the others have it', async () => {
  const { host, given, settle } = await openHosts(18, { max_hosts: 1 });
  host(0).begin();
  await pass(10);
  expect(given()).toEqual([FEW_RUNS]);
  host(0).says(full);
  for (let at = 0; at < FEW_RUNS; at += 1) settle(`${at}`);
  await pass(10);
  expect(given()).toEqual([18]);
});

test('when a host says nothing after its memory was short, then others wait until that is old', async () => {
  const { host, given, settle } = await openHosts(18, { max_hosts: 1 });
  host(0).begin();
  await pass(10);
  host(0).says(full);
  settle('0');
  await pass(10);
  expect(given()).toEqual([FEW_RUNS]);
  await pass(1100);
  expect(given()).toEqual([FEW_RUNS + 1]);
});

test('when one caller began 2,000 runs that compute, then another’s waits for one of them only', async () => {
  const { run, host, given, settle } = await openHosts(2000, { max_hosts: 1 });
  host(0).begin();
  await pass(10);
  expect(given()).toEqual([FEW_RUNS]);
  run('other', { principal: 'another caller' });
  settle('0');
  await pass(10);
  expect(host(0).given.at(-1)).toBe('other');
});

test('when hosts tell what they would take at once, then it is nothing while a run waits', async () => {
  const { load } = await openHosts(0, { max_hosts: 2 });
  expect(load()).toEqual({ runs: 0, room: 2 * MAX_UNACCEPTED });
  const busy = await openHosts(20, { max_hosts: 1 });
  busy.host(0).begin();
  await pass(10);
  expect(busy.load()).toEqual({ runs: FEW_RUNS, room: 0 });
  busy.host(0).says(well);
  await pass(10);
  expect(busy.load()).toEqual({ runs: 20, room: MAX_UNACCEPTED });
});

test('when another host starts, then what waits goes to the first with room; no third starts', async () => {
  const { run, host, settle, given } = await openHosts(5, {
    jobs_per_host: 4,
    max_hosts: 3,
    further_ms: 6000,
  });
  host(0).begin();
  await pass(4000);
  expect(given()).toEqual([4, 0]);
  settle('0');
  await pass(10);
  expect(given()).toEqual([5, 0]);
  run('5');
  await pass(3000);
  expect(given()).toEqual([5, 1]);
});

test('when a host is well, then it still has no more runs than the operator sets', async () => {
  const { host, given, settle } = await openHosts(30, { jobs_per_host: 3, max_hosts: 1 });
  host(0).begin();
  host(0).says(well);
  await pass(1000);
  expect(given()).toEqual([3]);
  settle('0');
  await pass(10);
  expect(given()).toEqual([4]);
});

test('when a host with 100 runs ends for one of them, then they are tried among few, together', async () => {
  const { host, given } = await openHosts(100, { max_hosts: 1 });
  host(0).begin();
  host(0).says(well);
  await pass(10);
  expect(given()).toEqual([100]);
  host(0).stand();
  await pass(70_000);
  host(1).begin();
  await pass(1000);
  host(1).says(well);
  await pass(100);
  expect(given()).toEqual([100, 10]);
});
