import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { Manifest, RunParams } from '@roadstead/contracts/host';
import { silentLog } from '@roadstead/kit';
import type { HostHandle } from './host-process.ts';
import type { RevisionHostsOptions } from './revision-hosts-options.ts';
import { RevisionHosts } from './revision-hosts.ts';

const manifest: Manifest = { graphs: [], langgraph_version: null };

interface FakeHost extends HostHandle {
  readonly started: number;
  breach: HostHandle['breach'];
  /** The error by which runs are refused from here on. */
  closed: Error | undefined;
  end(how: string): void;
}

const stack = useFixturePerTest(() => new AsyncDisposableStack());

/** Hosts that do nothing, and end when they are told to. */
function openHosts(options: Partial<RevisionHostsOptions> = {}, describes = () => true) {
  const hosts: FakeHost[] = [];
  let count = 0;
  const spawn = (): FakeHost => {
    const { promise: exited, resolve: end } = Promise.withResolvers<string>();
    const stop = async () => end('stopped');
    const host: FakeHost = {
      pid: hosts.length,
      started: Date.now(),
      exited,
      out_of_memory: false,
      breach: undefined,
      refusal_code: undefined,
      begun: Promise.resolve(),
      closed: undefined,
      end,
      fetch: () => Promise.reject(new Error('No app.')),
      connect: () => Promise.reject(new Error('No app.')),
      ask: async (method) => {
        if (method === 'run' && host.closed !== undefined) throw host.closed;
        if (method === 'describe' && !describes()) throw new Error('there is no such graph');
        return { result: method === 'describe' ? manifest : {}, blobs: [] };
      },
      kill: () => end('killed'),
      stop,
      [Symbol.asyncDispose]: stop,
    };
    hosts.push(host);
    return host;
  };
  const revision = new RevisionHosts({
    spawn,
    sink: { ask: () => Promise.reject(new Error('unused')), tell: () => undefined },
    jobs_per_host: 1,
    max_hosts: 4,
    min_hosts: 2,
    idle_ms: 5,
    start_ms: 1000,
    unresponsive_ms: 1000,
    again_ms: { min: 10, max: 40 },
    memory_mb: 1024,
    onTrouble: () => undefined,
    onNotice: () => undefined,
    onHosts: (change) => (count += change),
    log: silentLog,
    ...options,
  });
  stack().use(revision);
  return { revision, hosts, count: () => count };
}
const run = { run_id: 'r', attempt: 1 } as RunParams;

test('when a revision becomes active, then its hosts are kept, and not before', async () => {
  const { revision, hosts, count } = openHosts();
  await revision.describe(new AbortController().signal);
  await expect.poll(count).toBe(0);
  revision.keep();
  await expect.poll(count).toBe(2);
  expect(hosts).toHaveLength(3);
});

test('when a host ends, then it is replaced; when one is too many, then it stops once idle', async () => {
  const { revision, hosts, count } = openHosts({ jobs_per_host: 1 });
  revision.keep();
  await expect.poll(count).toBe(2);
  hosts[0]?.end('killed from outside');
  await expect.poll(() => hosts.length).toBe(3);
  await expect.poll(count).toBe(2);
  const runs = ['a', 'b', 'c'].map((run_id) => revision.run({ ...run, run_id }, 'caller'));
  await expect.poll(count).toBe(3);
  for (const run_id of ['a', 'b', 'c'])
    revision.settle({ run_id, attempt: 1 }, { outcome: 'success', interrupts: [], output: null });
  await Promise.all(runs);
  await expect.poll(count).toBe(2);
});

test('when a host dies of its start, then it is tried again with longer and longer pauses', async () => {
  let describes = false;
  const { revision, hosts, count } = openHosts(
    { min_hosts: 1, crash_limits: { exits: 100, within_ms: 60_000, pause_ms: 60_000 } },
    () => describes,
  );
  revision.keep();
  await expect.poll(() => hosts.length).toBeGreaterThanOrEqual(5);
  const pauses = hosts.slice(1).map((host, at) => host.started - (hosts[at]?.started ?? 0));
  for (const [at, least] of [10, 20, 40, 40].entries()) expect(pauses[at]).toBeGreaterThanOrEqual(least - 2);
  describes = true;
  await expect.poll(count).toBe(1);
});

test('when a revision has stopped, then it keeps no host; it never has more than it may', async () => {
  const { revision, hosts, count } = openHosts({ min_hosts: 9, max_hosts: 3 });
  revision.keep();
  await expect.poll(count).toBe(3);
  await revision.drain(0);
  expect([count(), hosts.length]).toEqual([0, 3]);
});

const soon = { exits: 3, within_ms: 60_000, pause_ms: 100 };

test('when hosts keep ending, then they start again after a pause only, and what waits runs then', async () => {
  const troubles: (string | undefined)[] = [];
  const onTrouble = (trouble?: { code: string }) => troubles.push(trouble?.code);
  const { revision, hosts } = openHosts({ min_hosts: 0, crash_limits: soon, onTrouble });
  for (let exits = 1; exits <= 3; exits += 1) {
    const running = revision.run({ ...run, attempt: exits }, 'caller');
    await expect.poll(() => hosts.length).toBe(exits);
    expect(revision.refusal).toBeUndefined();
    hosts.at(-1)?.end('exit code 1');
    await expect(running).rejects.toThrow('exit code 1');
  }
  expect(troubles).toEqual(['crash_loop']);
  expect(revision.refusal).toMatchObject({ kind: 'unavailable', retry_after_s: 1 });
  const waiting = revision.run(run, 'caller');
  expect(hosts.length).toBe(3);
  await expect.poll(() => hosts.length).toBe(4);
  expect((hosts[3]?.started ?? 0) - (hosts[2]?.started ?? 0)).toBeGreaterThanOrEqual(99);
  revision.settle(run, { outcome: 'success', interrupts: [], output: null });
  await waiting;
});

test('when hosts of an active revision keep ending, then they are not kept faster than that', async () => {
  const { revision, hosts } = openHosts({ min_hosts: 1, crash_limits: { ...soon, pause_ms: 60_000 } });
  revision.keep();
  for (let exits = 1; exits <= 3; exits += 1) {
    await expect.poll(() => hosts.length).toBe(exits);
    hosts.at(-1)?.end('exit code 1');
  }
  await expect.poll(() => revision.trouble?.code).toBe('crash_loop');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hosts.length).toBe(3);
});

test('when no host has ended for long enough, then the trouble is over', async () => {
  const troubles: (string | undefined)[] = [];
  const onTrouble = (trouble?: { code: string }) => troubles.push(trouble?.code);
  const { revision, hosts } = openHosts({
    min_hosts: 0,
    crash_limits: { ...soon, exits: 1, within_ms: 50 },
    onTrouble,
  });
  const running = revision.run(run, 'caller');
  hosts[0]?.end('exit code 1');
  await expect(running).rejects.toThrow('exit code 1');
  await expect.poll(() => troubles).toEqual(['crash_loop', undefined]);
  expect(revision.refusal).toBeUndefined();
});

test('when a revision is replaced, then what waits for a host that may not start goes elsewhere', async () => {
  const { revision, hosts } = openHosts({
    min_hosts: 0,
    crash_limits: { ...soon, exits: 1, pause_ms: 60_000 },
  });
  const running = revision.run(run, 'caller');
  hosts[0]?.end('exit code 1');
  await expect(running).rejects.toThrow('exit code 1');
  const waiting = revision.run({ ...run, attempt: 2 }, 'caller');
  void revision.drain(60_000);
  expect(await waiting).toEqual({ outcome: 'cancelled', reason: 'drain' });
});

const done = { outcome: 'success', interrupts: [], output: null } as const;

test('when a frame that names a run ends its host, then the other runs fail by nothing', async () => {
  const { revision, hosts } = openHosts({ min_hosts: 0, jobs_per_host: 10, max_hosts: 2 });
  const begin = (run_id: string, attempt: number) => revision.run({ ...run, run_id, attempt }, 'caller');
  const bad = begin('bad', 1);
  const others = [begin('one', 1), begin('two', 1)];
  await expect.poll(() => revision.load.runs).toBe(3);
  if (hosts[0] !== undefined) hosts[0].breach = { run_id: 'bad' };
  hosts[0]?.end('It broke the host protocol.');
  await expect(bad).rejects.toThrow('It broke the host protocol.');
  for (const other of others) expect(await other).toEqual({ outcome: 'cancelled', reason: 'drain' });
  const again = [begin('bad', 2), begin('one', 2), begin('two', 2)];
  again[0]?.catch(() => undefined);
  await expect.poll(() => revision.load.runs).toBe(3);
  // The one at fault has a host of its own, and the others share one.
  expect(hosts).toHaveLength(3);
  if (hosts[1] !== undefined) hosts[1].breach = { run_id: 'bad' };
  hosts[1]?.end('It broke the host protocol.');
  await expect(again[0]).rejects.toThrow('It broke the host protocol.');
  for (const run_id of ['one', 'two']) revision.settle({ run_id, attempt: 2 }, done);
  expect(await Promise.all(again.slice(1))).toEqual([done, done]);
});

test('when a breach comes before a run is accepted, then that run waits for whose fault it is', async () => {
  const { revision, hosts } = openHosts({ min_hosts: 0, jobs_per_host: 10 });
  const bad = revision.run({ ...run, run_id: 'bad' }, 'caller');
  await expect.poll(() => hosts.length).toBe(1);
  if (hosts[0] !== undefined)
    Object.assign(hosts[0], { breach: { run_id: 'bad' }, closed: new Error('It ends.') });
  const other = revision.run({ ...run, run_id: 'other' }, 'caller');
  await new Promise((resolve) => setImmediate(resolve));
  hosts[0]?.end('It broke the host protocol.');
  await expect(bad).rejects.toThrow('It broke the host protocol.');
  expect(await other).toEqual({ outcome: 'cancelled', reason: 'drain' });
});

test.each([
  ['a run', undefined, { run_id: 'bad' }],
  ['no run', 'crash_loop', { run_id: undefined }],
])('when hosts keep ending for a frame of %s, then the trouble is %s', async (_what, trouble, breach) => {
  const { revision, hosts } = openHosts({ min_hosts: 0, crash_limits: soon });
  for (let exits = 1; exits <= soon.exits; exits += 1) {
    const running = revision.run({ ...run, run_id: 'bad', attempt: exits }, 'caller');
    await expect.poll(() => hosts.length).toBe(exits);
    Object.assign(hosts.at(-1) ?? {}, { breach });
    hosts.at(-1)?.end('It broke the host protocol.');
    await expect(running).rejects.toThrow('It broke the host protocol.');
  }
  expect(revision.trouble?.code).toBe(trouble);
  expect(revision.refusal === undefined).toBe(trouble === undefined);
});
