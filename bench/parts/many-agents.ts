import { setTimeout as pause } from 'node:timers/promises';
import { measure, type Measurement, sendMessage } from '../support/measure.ts';
import { usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { deployBenchAgent } from '../support/roadstead.ts';
import { dataHome, startPlatform } from '../../test/support/platform.ts';

const ALL = 50;
const BUSY = 10;

/** A send to one agent while there are 50, of which nine others answer once a second each, against one that is alone. */
export async function manyAgents(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  await using platform = await startPlatform(home.path);
  const headers = { 'x-api-key': platform.key };
  const sendTo = (at: number) => sendMessage(`${platform.url}/agents/agent-${at}/a2a/graph`, headers);
  const sends = async (name: string): Promise<{ one: Measurement; many: Measurement }> => {
    const call = sendTo(0);
    await measure({ count: 2000, concurrency: 32, warm: 0 }, call);
    return {
      one: report.row(`${name}, at 1`, await measure({ count: 500 * scale, concurrency: 1, warm: 0 }, call)),
      many: report.row(
        `${name}, at 32`,
        await measure({ count: 2000 * scale, concurrency: 32, warm: 0 }, call),
      ),
    };
  };
  await deployBenchAgent(platform, 'agent-0');
  const alone = await sends('one agent');
  for (let at = 1; at < ALL; at += 1) await deployBenchAgent(platform, `agent-${at}`);
  const others = Array.from({ length: BUSY - 1 }, (_, at) => sendTo(at + 1));
  for (const call of others) await measure({ count: 200 * scale, concurrency: 8, warm: 0 }, call);
  const enough = new AbortController();
  const busy = keepBusy(others, enough.signal);
  const among = await sends(`among ${ALL}, ${BUSY} of them busy`);
  enough.abort();
  await busy;
  const usage = await usageOf(platform.pid);
  const parts = Object.entries(usage).map(
    ([kind, { resident_mb, count }]) => `${kind} ${resident_mb.toFixed(0)} MB in ${count}`,
  );
  report.note(`memory by then: ${parts.join(', ')}`);
  const of = `a send among ${ALL} agents, ${BUSY} of them busy, against one alone`;
  report.ratio(`${of}: p50 at 1`, among.one.p50_ms / alone.one.p50_ms, atMost(1.2, '×'));
  report.ratio(`${of}: time of each at 32`, alone.many.per_s / among.many.per_s, atMost(1.2, '×'));
}

async function keepBusy(calls: readonly (() => Promise<void>)[], signal: AbortSignal): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      while (!signal.aborted) await Promise.all([call(), pause(1000)]);
    }),
  );
}
