import { expect, test } from 'vitest';
import { done, pass, useFakeHosts } from '../testing/fake-hosts.ts';

/** Runs on a host that answers, and says that something holds up its event loop. */

const openHosts = useFakeHosts();

const moved = { outcome: 'moved' };

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
