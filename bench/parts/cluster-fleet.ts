import { setTimeout as pause } from 'node:timers/promises';
import { has_cluster, InstalledChart } from '../../test/cluster/installed-chart.ts';
import { measure, sendMessage } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { BENCH_AGENT, deployFolder } from '../support/roadstead.ts';

const ALL = 200;
const BUSY = 10;
const AT_ONCE = 2;
const MINUTE_MS = 60_000;
/** Whom the API server takes the data plane for, and nobody else that calls it here. */
const REQUESTS =
  /^apiserver_flowcontrol_dispatched_requests_total\{[^}]*flow_schema="service-accounts"[^}]*\} ([\d.e+]+)$/gm;

/** Many deployments of one listener in a cluster, of which a few are called: what the data plane holds, and asks the API server. */
export async function clusterFleet(report: Report, scale: number): Promise<void> {
  if (!has_cluster) {
    report.note('no cluster: CONTRIBUTING.md says which variables name one');
    return;
  }
  await using platform = await InstalledChart.install({
    dataPlane: { env: { ROADSTEAD_IDLE_S: 20 } },
  });
  const all = Math.round(ALL * scale);
  const before_mb = await memoryOf(platform);
  const deploy = (at: number) =>
    deployFolder(platform, {
      folder: BENCH_AGENT,
      options: ['--name', `agent-${at}`, '--secret', 'BENCH_UNTRACED=1'],
    });
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < all) await deploy(next++);
    }),
  );
  report.note(
    `${all} deployments, ${AT_ONCE} at a time: ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  await pause(MINUTE_MS);
  const idle = await aMinuteOf(platform);
  report.note(`${all} idle: ${idle.toFixed(0)} requests of the API server a minute`);
  const calls = Array.from({ length: BUSY }, (_, at) =>
    sendMessage(`${platform.url}/agents/agent-${at}/a2a/graph`, { 'x-api-key': platform.key }),
  );
  await Promise.all(calls.map((call) => call()));
  const enough = new AbortController();
  const busy = Promise.all(
    calls.map(async (call) => {
      while (!enough.signal.aborted) await Promise.all([call(), pause(1000)]);
    }),
  );
  const asked = await aMinuteOf(platform);
  const [first] = calls;
  if (first !== undefined)
    report.row('one of them, at 1', await measure({ count: 200, concurrency: 1, warm: 50 }, first));
  enough.abort();
  await busy;
  report.note(`${all} deployments, ${BUSY} busy: ${asked.toFixed(0)} requests of the API server a minute`);
  const each_mb = ((await memoryOf(platform)) - before_mb) / all;
  report.note(
    `memory of the data plane: ${before_mb.toFixed(0)} MB with none, ${each_mb.toFixed(2)} MB for each`,
  );
  report.ratio('memory of the data plane for each of many deployments', each_mb, atMost(1, 'MB'));
}

async function aMinuteOf(platform: InstalledChart): Promise<number> {
  const before = await requestsOf(platform);
  await pause(MINUTE_MS);
  return (await requestsOf(platform)) - before;
}

async function requestsOf(platform: InstalledChart): Promise<number> {
  const metrics = await platform.kubectl('get', '--raw', '/metrics');
  return [...metrics.matchAll(REQUESTS)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Resident memory of all processes in its container, in MB. */
async function memoryOf(platform: InstalledChart): Promise<number> {
  const read = ['sh', '-c', 'cat /proc/[0-9]*/status'];
  const where = ['deployment/roadstead-data-plane', '--container', 'data-plane'];
  const found = await platform.kubectl('exec', ...where, '--', ...read);
  const kb = [...found.matchAll(/^VmRSS:\s+(\d+) kB$/gm)].map(([, size]) => Number(size));
  return kb.reduce((sum, size) => sum + size, 0) / 1024;
}
