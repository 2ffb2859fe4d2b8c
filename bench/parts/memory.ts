import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { measure, sendMessage } from '../support/measure.ts';
import { familyOf, type UsageByKind, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { deployBenchAgent } from '../support/roadstead.ts';

const IDLE = 10;
const ROUNDS = 3;
/** After it V8 has given back what only a load needed (it waits for eight seconds of little work, twice), and so has `tendHeap`. */
const REST_MS = 35_000;

/**
 * Memory: resident, of our processes with ten idle deployments and of a traced graph host that has worked; and what of
 * PostgreSQL's is a connection's own after a load. Resident memory of a connection counts the shared buffers that it has
 * touched, and they count again in every other: its own is what closing it gives back.
 */
export async function memory(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  {
    await using platform = await startPlatform(home.path);
    for (let at = 0; at < IDLE; at += 1) await deployBenchAgent(platform, `idle-${at}`);
  }
  await using platform = await startPlatform(home.path);
  tell(report, `${IDLE} idle deployments, right after a start`, await usageOf(platform.pid));
  await pause(REST_MS);
  const idle = await usageOf(platform.pid);
  tell(report, `${IDLE} idle deployments`, idle);
  report.ratio(
    `memory of platform and data plane with ${IDLE} idle deployments`,
    idle.platform.resident_mb + idle['data plane'].resident_mb,
    atMost(300, 'MB'),
  );
  for (let at = 0; at < ROUNDS; at += 1) await work(platform, report, 2500 * scale);
}

async function work(platform: RunningPlatform, report: Report, count: number): Promise<void> {
  const url = `${platform.url}/agents/idle-0/a2a/graph`;
  await measure({ count, concurrency: 8, warm: 0 }, sendMessage(url, { 'x-api-key': platform.key }));
  const [busy, connections] = await Promise.all([usageOf(platform.pid), connectionsOf(platform.pid)]);
  tell(report, `after ${count} messages to one of them`, busy);
  report.note(`${connections.count} connections to PostgreSQL`);
  await pause(REST_MS);
  const rested = await usageOf(platform.pid);
  report.ratio('memory of a graph host, traced, that has worked', hostOf(rested), atMost(120, 'MB'));
  report.ratio('the same at the end of its load', hostOf(busy), atMost(120, 'MB'));
  report.ratio('of a connection’s own, after load', connections.private_mb, atMost(10, 'MB'));
  report.ratio('the same with what it shares with others', connections.resident_mb, atMost(10, 'MB'));
}

const hostOf = ({ hosts }: UsageByKind) => hosts.resident_mb / Math.max(1, hosts.count);

function tell(report: Report, when: string, usage: UsageByKind): void {
  const parts = Object.entries(usage).map(
    ([kind, { resident_mb, count }]) => `${kind} ${resident_mb.toFixed(0)} MB in ${count}`,
  );
  report.note(`${when}: ${parts.join(', ')} (what processes share counts in each)`);
}

/** The memory that the server’s processes for connections hold. Linux only. */
interface ConnectionMemory {
  readonly count: number;
  /** In a mean one: what is its own alone, and all that it has touched, with the buffers that all of them share. */
  readonly private_mb: number;
  readonly resident_mb: number;
}

/** A process that serves a connection is named after who is connected, from where and what it does. */
const SERVES = /^postgres: .*\[local\] /;

async function connectionsOf(root: number): Promise<ConnectionMemory> {
  const serving = (await familyOf(root)).filter(({ command }) => SERVES.test(command));
  const found = (await Promise.all(serving.map(({ pid }) => memoryOf(pid)))).filter(
    (one) => one !== undefined,
  );
  const mean = (of: (one: Memory) => number) =>
    found.reduce((sum, one) => sum + of(one), 0) / Math.max(1, found.length);
  return {
    count: found.length,
    private_mb: mean((one) => one.private_mb),
    resident_mb: mean((one) => one.resident_mb),
  };
}

type Memory = Omit<ConnectionMemory, 'count'>;

async function memoryOf(pid: number): Promise<Memory | undefined> {
  try {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    const mb = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
    return { private_mb: mb('Private_Clean') + mb('Private_Dirty'), resident_mb: mb('Rss') };
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
