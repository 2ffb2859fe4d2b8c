import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { measure, sendMessage } from '../support/measure.ts';
import { usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { deployFolder } from '../support/roadstead.ts';

const STARTER = fileURLToPath(new URL('../../examples/python-starter', import.meta.url));
const REST_MS = 10_000;

/** Resident memory of the host of the starter in Python, traced, at the end of a load and after a rest. */
export async function pythonMemory(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  await using platform = await startPlatform(home.path, { env: { ROADSTEAD_MAX_HOSTS: '1' } });
  await deployFolder(platform, { folder: STARTER, options: ['--name', 'starter'] });
  const call = sendMessage(`${platform.url}/agents/starter/a2a/agent`, { 'x-api-key': platform.key });
  await call();
  report.note(`after the first call: ${(await hostMemory(platform.pid)).toFixed(0)} MB`);
  await measure({ count: 2500 * scale, concurrency: 8, warm: 0 }, call);
  const busy = await hostMemory(platform.pid);
  await pause(REST_MS);
  const rested = await hostMemory(platform.pid);
  report.ratio('Python: warm host of the starter, traced, after a rest', rested, atMost(130, 'MB'));
  report.ratio('Python: the same at the end of its load', busy, atMost(130, 'MB'));
}

async function hostMemory(pid: number): Promise<number> {
  const { hosts } = await usageOf(pid);
  return hosts.resident_mb / Math.max(1, hosts.count);
}
