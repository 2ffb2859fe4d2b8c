import { readFile } from 'node:fs/promises';
import { familyOf } from './processes.ts';

/** What the server's processes for connections hold. Linux only. */
export interface ConnectionMemory {
  readonly count: number;
  /** In a mean one: what is its own alone, and all that it has touched, with the buffers that all of them share. */
  readonly private_mb: number;
  readonly resident_mb: number;
}

/** A process that serves a connection is named after who is connected, from where and what it does. */
const SERVES = /^postgres: .*\[local\] /;

export async function connectionsOf(root: number): Promise<ConnectionMemory> {
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
