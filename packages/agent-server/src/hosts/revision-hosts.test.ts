import { afterEach, expect, test } from 'vitest';
import type { Manifest, RunParams } from '@roadstead/contracts/host';
import { silentLog } from '@roadstead/kit';
import type { HostHandle } from './host-process.ts';
import { RevisionHosts, type RevisionHostsOptions } from './revision-hosts.ts';

const manifest: Manifest = { graphs: [], http: { disable_a2a: false }, langgraph_version: null };

interface FakeHost extends HostHandle {
  readonly started: number;
  end(how: string): void;
}

let opened: RevisionHosts | undefined;
afterEach(() => opened?.[Symbol.asyncDispose]());

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
      end,
      ask: async (method) => {
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
  opened = new RevisionHosts({
    spawn,
    sink: { ask: () => Promise.reject(new Error('unused')), tell: () => undefined },
    jobs_per_host: 1,
    max_hosts: 4,
    min_hosts: 2,
    idle_ms: 5,
    start_ms: 1000,
    unresponsive_ms: 1000,
    again_ms: { min: 10, max: 40 },
    onNotice: () => undefined,
    onHosts: (change) => (count += change),
    log: silentLog,
    ...options,
  });
  return { revision: opened, hosts, count: () => count };
}
const run = { run_id: 'r', attempt: 1 } as RunParams;

test('hosts are kept from the activation on, and not before', async () => {
  const { revision, hosts, count } = openHosts();
  await revision.describe(new AbortController().signal);
  await expect.poll(count).toBe(0);
  revision.keep();
  await expect.poll(count).toBe(2);
  expect(hosts).toHaveLength(3);
});

test('a host that ends is replaced; what is more than wanted stops when idle, down to that number', async () => {
  const { revision, hosts, count } = openHosts({ jobs_per_host: 1 });
  revision.keep();
  await expect.poll(count).toBe(2);
  hosts[0]?.end('killed from outside');
  await expect.poll(() => hosts.length).toBe(3);
  await expect.poll(count).toBe(2);
  const runs = ['a', 'b', 'c'].map((run_id) => revision.run({ ...run, run_id }));
  await expect.poll(count).toBe(3);
  for (const run_id of ['a', 'b', 'c'])
    revision.settle({ run_id, attempt: 1 }, { outcome: 'success', interrupts: [], output: null });
  await Promise.all(runs);
  await expect.poll(count).toBe(2);
});

test('a host that dies of its start is tried again with longer and longer pauses', async () => {
  let describes = false;
  const { revision, hosts, count } = openHosts({ min_hosts: 1 }, () => describes);
  revision.keep();
  await expect.poll(() => hosts.length).toBeGreaterThanOrEqual(5);
  const pauses = hosts.slice(1).map((host, at) => host.started - (hosts[at]?.started ?? 0));
  for (const [at, least] of [10, 20, 40, 40].entries()) expect(pauses[at]).toBeGreaterThanOrEqual(least - 2);
  describes = true;
  await expect.poll(count).toBe(1);
});

test('a revision that has stopped keeps nothing, and never more hosts than it may have', async () => {
  const { revision, hosts, count } = openHosts({ min_hosts: 9, max_hosts: 3 });
  revision.keep();
  await expect.poll(count).toBe(3);
  await revision.drain(0);
  expect([count(), hosts.length]).toEqual([0, 3]);
});
