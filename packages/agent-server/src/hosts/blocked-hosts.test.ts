import { useFixturePerTest } from '@roadstead/testing';
import { expect, test, vi } from 'vitest';
import type { EngineCalls, HeldUp, Manifest, RunResult, RunParams } from '@roadstead/contracts/host';
import { Problem, silentLog } from '@roadstead/kit';
import type { HostHandle } from './host-process.ts';
import { RevisionHosts } from './revision-hosts.ts';

/** Runs on a host whose event loop is blocked, by a clock that the test moves. */

const manifest: Manifest = { graphs: [], langgraph_version: null };
const done: RunResult = { outcome: 'success', interrupts: [], output: null };
const later: RunResult = { outcome: 'cancelled', reason: 'drain' };
const moved = { outcome: 'moved' };

interface FakeHost extends HostHandle {
  /** The runs that it has accepted, and those that were cancelled on it. */
  readonly accepted: string[];
  readonly cancelled: string[];
  /** From here on it answers nothing, until it is let go. */
  block(): void;
  /** Its answer to a ping, about its event loop. */
  held_up: HeldUp | undefined;
  letGo(): void;
  ended: boolean;
}

function fakeHost(pid: number): FakeHost {
  const { promise: exited, resolve } = Promise.withResolvers<string>();
  const unread: (() => void)[] = [];
  let blocked = false;
  const end = () => {
    host.ended = true;
    resolve('The graph host was ended by SIGKILL.');
  };
  const host: FakeHost = {
    pid,
    exited,
    out_of_memory: false,
    breach: undefined,
    accepted: [],
    cancelled: [],
    ended: false,
    held_up: undefined,
    block: () => (blocked = true),
    letGo: () => {
      blocked = false;
      for (const read of unread.splice(0)) read();
    },
    fetch: () => Promise.reject(new Error('No app.')),
    connect: () => Promise.reject(new Error('No app.')),
    ask: async <M extends keyof EngineCalls>(method: M, params: EngineCalls[M]['params']) => {
      if (blocked) await new Promise<void>((read) => unread.push(read));
      const { run_id = '' } = params as { run_id?: string };
      if (method === 'run') host.accepted.push(run_id);
      if (method === 'cancel') host.cancelled.push(run_id);
      const answers: Readonly<Record<string, object>> = {
        describe: manifest,
        ping: host.held_up === undefined ? {} : { held_up: host.held_up },
      };
      return { result: (answers[method] ?? {}) as EngineCalls[M]['result'], blobs: [] };
    },
    kill: end,
    stop: async () => end(),
    [Symbol.asyncDispose]: async () => end(),
  };
  return host;
}

const stack = useFixturePerTest(() => {
  const opened = new AsyncDisposableStack();
  vi.useFakeTimers();
  opened.defer(() => void vi.useRealTimers());
  return opened;
});

function openHosts(options: { max_hosts?: number; jobs_per_host?: number; unresponsive_ms?: number } = {}) {
  const hosts: FakeHost[] = [];
  const notices: string[] = [];
  const revision = new RevisionHosts({
    spawn: () => {
      const host = fakeHost(hosts.length);
      hosts.push(host);
      return host;
    },
    sink: { ask: () => Promise.reject(new Error('unused')), tell: () => undefined },
    jobs_per_host: options.jobs_per_host ?? 10,
    max_hosts: options.max_hosts ?? 2,
    min_hosts: 0,
    idle_ms: 900_000,
    start_ms: 60_000,
    unresponsive_ms: options.unresponsive_ms ?? 60_000,
    onHosts: () => undefined,
    memory_mb: 1024,
    onTrouble: () => undefined,
    onNotice: (level, message) => notices.push(`${level} ${message}`),
    log: silentLog,
  });
  stack().defer(async () => {
    const closed = revision[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(10_000);
    await closed;
  });
  const run = (run_id: string, attempt = 1, moves = 0) => {
    const ended = revision.run({ run_id, attempt } as RunParams, 'caller', { moves });
    ended.catch(() => undefined);
    return ended;
  };
  const settle = (run_id: string, attempt = 1) => revision.settle({ run_id, attempt }, done);
  const host = (at: number) => {
    const one = hosts[at];
    if (one === undefined) throw new Error(`There is no host ${at}.`);
    return one;
  };
  const cancel = (run_id: string) => revision.cancel({ run_id, attempt: 1 });
  const borrow = () => revision.borrow();
  return { hosts, host, notices, run, settle, cancel, borrow };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Long enough for a ping to go out, and unanswered for the host to be silent. */
const UNTIL_SILENT_MS = 7500;

test('when a host is blocked, then it gets no new runs, is reported, and is ended after its time', async () => {
  const { hosts, host, notices, run, settle } = openHosts();
  const looping = run('loop');
  await pass(100);
  host(0).block();
  await pass(UNTIL_SILENT_MS);
  expect(notices).toEqual([expect.stringMatching(/^WARNING .* 0 has not answered since 20.*loop\.$/)]);
  const next = run('next');
  await pass(100);
  expect(hosts.map((one) => one.accepted)).toEqual([['loop'], ['next']]);
  settle('next');
  expect(await next).toEqual(done);
  expect(host(0).ended).toBe(false);
  await pass(60_000);
  await expect(looping).rejects.toThrow(
    'Its process did not answer for 60 s and was ended (an endless loop?).',
  );
  expect(await looping.catch((error: unknown) => error instanceof Problem)).toBe(true);
  expect(host(0).ended).toBe(true);
  expect(notices.slice(1)).toEqual([expect.stringMatching(/^ERROR .*ended/)]);
});

test('when a host falls silent, then what it has not accepted is tried elsewhere, and not twice', async () => {
  const { hosts, host, run } = openHosts();
  void run('loop');
  await pass(1000);
  host(0).block();
  await pass(2000);
  const late = run('late');
  await pass(UNTIL_SILENT_MS);
  expect(await late).toEqual(later);
  void run('late', 2);
  await pass(100);
  expect(host(1).accepted).toEqual(['late']);
  host(0).letGo();
  await pass(100);
  expect([host(0).cancelled, hosts.length]).toEqual([['late'], 2]);
});

test('when a host works for half a minute, then it survives and takes runs again', async () => {
  const { hosts, host, notices, run, settle } = openHosts({ max_hosts: 1 });
  const working = run('work');
  await pass(100);
  host(0).block();
  await pass(UNTIL_SILENT_MS);
  void run('beside');
  await pass(30_000);
  host(0).letGo();
  await pass(100);
  expect(notices.map((notice) => notice.split(' ', 1)[0])).toEqual(['WARNING', 'INFO']);
  settle('work');
  expect(await working).toEqual(done);
  // One of the two that there are now is left to run empty.
  await pass(100);
  expect(hosts.map((one) => one.ended)).toEqual([true, false]);
  void run('after');
  await pass(100);
  expect(host(1).accepted).toEqual(['beside', 'after']);
});

test('when a host was ended, then its runs are tried alone, so that a loop fails no other twice', async () => {
  const { hosts, host, run, settle } = openHosts({ max_hosts: 2 });
  const runs = ['loop', 'innocent'].map((run_id) => run(run_id));
  await pass(100);
  host(0).block();
  await pass(70_000);
  for (const ended of runs) await expect(ended).rejects.toThrow('did not answer');
  const again = ['loop', 'innocent', 'fresh'].map((run_id) => run(run_id, run_id === 'fresh' ? 1 : 2));
  await pass(100);
  expect(hosts.slice(1).map((one) => one.accepted)).toEqual([['loop'], ['innocent'], ['fresh']]);
  host(1).block();
  settle('innocent', 2);
  expect(await again[1]).toEqual(done);
  await pass(70_000);
  await expect(again[0]).rejects.toThrow('did not answer');
  settle('fresh');
  expect(await again[2]).toEqual(done);
});

test('when a run loops before it is accepted, then it is blamed, and holds up no host of others', async () => {
  const { hosts, host, run, settle } = openHosts();
  // It loops in the turn in which it arrives: its host never says that it took it.
  void run('first');
  await pass(100);
  host(0).block();
  const looping = run('loop');
  await pass(UNTIL_SILENT_MS);
  expect(await looping).toEqual(later);
  const [again, other] = [run('loop', 2), run('other')];
  await pass(0);
  expect(hosts.slice(1).map((one) => one.accepted)).toEqual([['loop'], ['other']]);
  host(1).block();
  await pass(70_000);
  await expect(again).rejects.toThrow('did not answer');
  settle('other');
  expect([host(2).ended, await other]).toEqual([false, done]);
});

test('when one loop follows another, then hosts start up to a bound, and all is well after', async () => {
  const { hosts, host, run, settle } = openHosts({ max_hosts: 2, jobs_per_host: 10 });
  for (const at of [0, 1, 2]) {
    void run(`loop ${at}`);
    await pass(100);
    host(at).block();
    await pass(UNTIL_SILENT_MS);
  }
  const waiting = run('waits');
  await pass(1000);
  expect(hosts.length).toBe(3);
  await pass(60_000);
  expect(hosts.slice(0, 3).every((one) => one.ended)).toBe(true);
  expect(host(3).accepted).toEqual(['waits']);
  settle('waits');
  expect(await waiting).toEqual(done);
});

/** Long enough for a host to be asked, and to say that it is held up. */
const UNTIL_HEARD_MS = 2100;

test('when a run holds up the loop of a host that answers, then the others go on elsewhere', async () => {
  const { hosts, host, notices, run, settle } = openHosts();
  const [blocking, other] = [run('blocks'), run('other')];
  await pass(100);
  host(0).held_up = { for_ms: 2000, run_id: 'blocks', attempt: 1 };
  await pass(UNTIL_HEARD_MS);
  expect(await other).toEqual(moved);
  expect(host(0).cancelled).toEqual(['other']);
  void run('other', 2);
  await pass(100);
  expect(hosts.map((one) => one.accepted)).toEqual([['blocks', 'other'], ['other']]);
  expect(notices).toEqual([
    expect.stringMatching(/^WARNING .* 2 s, is held up by the run blocks, which goes on/),
  ]);
  await pass(120_000);
  expect(host(0).ended).toBe(false);
  host(0).held_up = undefined;
  await pass(UNTIL_HEARD_MS);
  expect(notices.slice(1)).toEqual([expect.stringMatching(/^INFO .* answers again/)]);
  settle('blocks');
  expect(await blocking).toEqual(done);
});

test('when a loop is held up for a moment, then nothing is moved', async () => {
  const { hosts, host, notices, run } = openHosts();
  for (const run_id of ['blocks', 'other']) void run(run_id);
  await pass(100);
  host(0).held_up = { for_ms: 900, run_id: 'blocks', attempt: 1 };
  await pass(UNTIL_HEARD_MS);
  expect([hosts.length, notices]).toEqual([1, []]);
});

test('when it is not known what holds up a loop, then all of its runs go on elsewhere', async () => {
  const { host, run } = openHosts();
  const runs = [run('one'), run('two')];
  await pass(100);
  host(0).held_up = { for_ms: 2000 };
  await pass(UNTIL_HEARD_MS);
  expect(await Promise.all(runs)).toEqual([moved, moved]);
});

test('when a cancelled run holds up a loop, then its host is ended once it does not obey', async () => {
  const { host, run, cancel } = openHosts();
  const blocking = run('blocks');
  await pass(100);
  host(0).held_up = { for_ms: 20_000, run_id: 'blocks', attempt: 1 };
  await pass(UNTIL_HEARD_MS);
  expect(host(0).ended).toBe(false);
  cancel('blocks');
  await pass(UNTIL_HEARD_MS);
  await expect(blocking).rejects.toThrow('Its run was cancelled');
  expect(host(0).ended).toBe(true);
});

test('when the end of a run that holds up a loop is wanted, then no run beside it is to blame', async () => {
  const { hosts, host, run, cancel } = openHosts();
  const blocking = run('blocks');
  const stayer = run('stays', 3, 2);
  await pass(100);
  host(0).held_up = { for_ms: 12_000, run_id: 'blocks', attempt: 1 };
  cancel('blocks');
  await pass(UNTIL_HEARD_MS);
  await expect(blocking).rejects.toThrow('Its run was cancelled');
  expect(await stayer).toEqual(moved);
  // It shares its next host.
  for (const [run_id, attempt] of [
    ['stays', 4],
    ['fresh', 1],
  ] as const)
    void run(run_id, attempt, 3);
  await pass(100);
  expect(hosts.slice(1).map((one) => one.accepted)).toEqual([['stays', 'fresh']]);
});

test('when code of no run holds up loops for good, then their hosts are ended and others serve', async () => {
  const { hosts, host, notices, borrow } = openHosts({ unresponsive_ms: 10_000 });
  for (const at of [0, 1, 2]) {
    const asking = borrow();
    await pass(100);
    expect((await asking).process).toBe(host(at));
    host(at).held_up = { for_ms: 2040 };
    await pass(UNTIL_HEARD_MS);
  }
  await expect(borrow()).rejects.toThrow('No graph host answers');
  expect(notices).toHaveLength(3);
  expect(notices[0]).toMatch(
    /^WARNING .* 2 s, .* by code that is of no run, and is ended after 10 s of this/,
  );
  for (const one of hosts) one.held_up = { for_ms: 9999 };
  await pass(UNTIL_HEARD_MS);
  expect(hosts.map(({ ended }) => ended)).toEqual([false, false, false]);
  for (const one of hosts) one.held_up = { for_ms: 10_000 };
  await pass(UNTIL_HEARD_MS);
  expect(hosts.map(({ ended }) => ended)).toEqual([true, true, true]);
  expect(notices.at(-1)).toMatch(/^ERROR .* 10 s, is held up by code that is of no run, and is ended/);
  const asking = borrow();
  await pass(60_000);
  expect((await asking).process).toBe(host(3));
});

test.each([
  ['has ended', 'gone', 1],
  ['has gone on elsewhere at a later attempt', 'stays', 2],
])('when an attempt that %s holds up a loop, then its host is ended and others go on', async (...facts) => {
  const [, run_id, attempt] = facts;
  const { host, run } = openHosts();
  const stayer = run('stays', 3, 2);
  await pass(100);
  host(0).held_up = { for_ms: 59_000, run_id, attempt };
  await pass(UNTIL_HEARD_MS);
  expect(host(0).ended).toBe(false);
  host(0).held_up = { for_ms: 60_000, run_id, attempt };
  await pass(UNTIL_HEARD_MS);
  expect(host(0).ended).toBe(true);
  expect(await stayer).toEqual(moved);
});

test('when it is never known what holds up a loop, then runs that stayed are tried alone', async () => {
  const { hosts, host, run } = openHosts();
  const stayers = [run('one', 3, 2), run('two', 3, 2)];
  await pass(100);
  host(0).held_up = { for_ms: 60_000 };
  await pass(UNTIL_HEARD_MS);
  for (const stayer of stayers)
    await expect(stayer).rejects.toThrow('Code that is of none of its runs held up its event loop for 60 s');
  for (const run_id of ['one', 'two']) void run(run_id, 4, 2);
  await pass(2000);
  expect(hosts.slice(1).map((one) => one.accepted)).toEqual([['one'], ['two']]);
});

test('when a run was moved twice from loops that are held up, then it waits beside the next', async () => {
  const { hosts, host, run, settle } = openHosts();
  void run('blocks');
  const [twice, once] = [run('twice', 3, 2), run('once', 2, 1)];
  await pass(100);
  host(0).held_up = { for_ms: 2000, run_id: 'blocks', attempt: 1 };
  await pass(UNTIL_HEARD_MS);
  expect(await once).toEqual(moved);
  expect(host(0).cancelled).toEqual(['once']);
  host(0).held_up = undefined;
  await pass(UNTIL_HEARD_MS);
  settle('twice', 3);
  expect([await twice, hosts.length]).toEqual([done, 1]);
});

test('when a host is held up and comes back, then seconds are shown to a tenth', async () => {
  const { host, notices, run } = openHosts();
  void run('blocks');
  await pass(100);
  host(0).held_up = { for_ms: 2345.678, run_id: 'blocks', attempt: 1 };
  await pass(UNTIL_HEARD_MS);
  host(0).held_up = undefined;
  await pass(UNTIL_HEARD_MS);
  expect(notices).toEqual([expect.stringContaining(' 2.3 s, '), expect.stringContaining(' 2.3 s.')]);
});
