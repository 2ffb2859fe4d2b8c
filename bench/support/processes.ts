import { readdir, readFile } from 'node:fs/promises';

/** What the processes of a platform used, by what they are: CPU since their start, and resident memory. Linux only. */
interface Usage {
  readonly cpu_ms: number;
  readonly resident_mb: number;
  readonly count: number;
}
export type UsageByKind = Readonly<Record<Kind, Usage>>;
export type Kind = (typeof kinds)[number][0];

const TICK_MS = 10;
const PAGE_MB = 4096 / 1_048_576;
/** The first that fits a command line says what the process is. */
const kinds = [
  ['postgres', /postgres/],
  // What starts a host and waits for it.
  ['fence', /^\S*(?:unshare|sh) /],
  ['hosts', /graph-host/],
  ['data plane', /data-plane/],
  ['platform', /./],
] as const;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly cpu_ms: number;
  readonly resident_mb: number;
  readonly command: string;
}

/** The process and all that descend from it. */
export async function usageOf(root: number): Promise<UsageByKind> {
  const mine = await familyOf(root);
  return byKind((kind) => {
    const ones = mine.filter((one) => kindOf(one.command) === kind);
    const sum = (of: (one: Process) => number) => ones.reduce((total, one) => total + of(one), 0);
    return {
      cpu_ms: sum((one) => one.cpu_ms),
      resident_mb: sum((one) => one.resident_mb),
      count: ones.length,
    };
  });
}

/** The ids of these processes, by what they are. */
export async function pidsOf(root: number): Promise<Readonly<Record<Kind, readonly number[]>>> {
  const mine = await familyOf(root);
  return byKind((kind) => mine.filter((one) => kindOf(one.command) === kind).map(({ pid }) => pid));
}

function byKind<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(kinds.map(([kind]) => [kind, of(kind)])) as Record<Kind, T>;
}

/** The process and all that descend from it. */
export async function familyOf(root: number): Promise<Process[]> {
  const all = (await Promise.all((await readdir('/proc')).filter(isPid).map(readProcess))).filter(
    (one) => one !== undefined,
  );
  const family = new Set([root]);
  for (let before = -1; before !== family.size;) {
    before = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return all.filter((one) => family.has(one.pid));
}

/** CPU per call between two looks, for example `platform 0.31 · data plane 0.95 · hosts 1.2 · postgres 0.4 ms`. */
export function cpuBetween(before: UsageByKind, after: UsageByKind, calls: number): string {
  const parts = kinds.map(([kind]) => {
    const used = (after[kind].cpu_ms - before[kind].cpu_ms) / calls;
    return `${kind} ${used.toFixed(2)}`;
  });
  return `CPU a call: ${parts.toReversed().join(' · ')} ms`;
}

export function cpuOf(usage: UsageByKind, of: readonly Kind[] = kinds.map(([kind]) => kind)): number {
  return of.reduce((sum, kind) => sum + usage[kind].cpu_ms, 0);
}

const isPid = (name: string) => /^\d+$/.test(name);
const kindOf = (command: string) => kinds.find(([, pattern]) => pattern.test(command))?.[0] ?? 'platform';

async function readProcess(name: string): Promise<Process | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8'),
      readFile(`/proc/${name}/cmdline`, 'utf8'),
    ]);
    // What follows the command, which may hold anything but its last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (at: number) => Number(fields[at] ?? 0);
    // Postgres works in processes that end, such as those that vacuum; who began them knows what they used.
    const ended = kindOf(command) === 'postgres' ? number(13) + number(14) : 0;
    return {
      pid: Number(name),
      parent: number(1),
      cpu_ms: (number(11) + number(12) + ended) * TICK_MS,
      resident_mb: number(21) * PAGE_MB,
      command: command.replaceAll('\0', ' '),
    };
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
