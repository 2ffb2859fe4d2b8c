import { expect, test } from 'vitest';
import type { RunResult } from '@roadstead/contracts/host';
import { Problem } from '@roadstead/kit';
import { done, pass, useFakeHosts } from '../testing/fake-hosts.ts';

/** Runs on a host whose event loop is blocked, so that it answers nothing. */

const openHosts = useFakeHosts();

const later: RunResult = { outcome: 'cancelled', reason: 'drain' };

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
