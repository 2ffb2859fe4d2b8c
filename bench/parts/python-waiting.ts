import { cpuBetween, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { PYTHON_AGENT, startBenchPlatform } from '../support/roadstead.ts';
import { callAll, told } from '../support/waiting-callers.ts';

const WAIT_MS = 2000;
const CALLERS = 200;
const KINDS = ['platform', 'data plane', 'hosts'] as const;

/** Callers that come at once, of an agent in Python that waits for a slow model: 40 tokens come over 2 s. */
export async function pythonWaiting(report: Report): Promise<void> {
  await using bench = await startBenchPlatform({ folder: PYTHON_AGENT });
  const { platform, headers } = bench;
  for (const deployment of ['untraced', 'traced'] as const) {
    const url = `${platform.url}/agents/${deployment}`;
    // Hosts have loaded what they run, and there are as many as are used.
    await callAll({ url, headers }, 2 * CALLERS);
    const before = await usageOf(platform.pid);
    const name = `Python: ${CALLERS} callers, ${deployment}`;
    const called = told(report, name, await callAll({ url, headers }, CALLERS));
    const usage = await usageOf(platform.pid);
    report.ratio(`${name}: all done, against the wait`, called.all_ms / WAIT_MS, atMost(2.5, '×'));
    report.note(cpuBetween(before, usage, CALLERS));
    const memory = KINDS.map(
      (kind) => `${kind} ${usage[kind].resident_mb.toFixed(0)} MB in ${usage[kind].count}`,
    );
    report.note(
      `memory by then: ${memory.join(', ')}; loops of hosts were late by ${called.late_ms} ms at most`,
    );
  }
}
