import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PostgresStartError } from './postgres-start-error.ts';

/** A process of one cluster: its postmaster, or a child that outlived it. */
interface ClusterProcess {
  readonly pid: number;
  readonly parent: number;
  /** The process that started the postmaster; absent on its children. */
  readonly owner: number | undefined;
}

/** The setting on a postmaster's command line that names the process which started it. */
export const ownerSetting = (pid: number) => `roadstead.owner=${pid}`;

/** Fast shutdown; immediate shutdown, which costs a recovery at the next start; last resort. */
const steps = [
  { signal: 'SIGINT', wait_ms: 10_000 },
  { signal: 'SIGQUIT', wait_ms: 7_000 },
  { signal: 'SIGKILL', wait_ms: 5_000 },
] as const;
const poll_ms = 20;

/**
 * Ends every process of a cluster and returns when they are gone, after 22 s at most.
 * @throws PostgresStartError when one of them cannot be ended.
 */
export async function endCluster(cluster: string): Promise<void> {
  for (const { signal, wait_ms } of steps) {
    const until = Date.now() + wait_ms;
    let found = await clusterProcesses(cluster);
    const postmaster = found.find(({ owner }) => owner !== undefined);
    // Children end with their postmaster. Those of a killed one get the signal that means the same to all of them.
    if (postmaster) kill(postmaster.pid, signal);
    else for (const { pid } of found) kill(pid, signal === 'SIGINT' ? 'SIGQUIT' : signal);
    while (found.length > 0 && Date.now() < until) {
      await setTimeout(poll_ms);
      found = await clusterProcesses(cluster);
    }
    if (found.length === 0) return;
  }
  throw new PostgresStartError(
    'A PostgreSQL server that uses this data folder does not end, even by SIGKILL.',
  );
}

/**
 * Ends what a killed platform left behind. It is stopped and not adopted: then we always own the server's output,
 * settings and exit, and there is one way to start instead of two. A fast shutdown takes about 0.1 s.
 * @throws PostgresStartError when the platform that started the server still lives.
 */
export async function endLeftover(cluster: string, locks: readonly string[]): Promise<void> {
  const found = await clusterProcesses(cluster);
  const used = found.find(({ owner, parent }) => owner === parent);
  if (used) {
    throw new PostgresStartError(`The data folder is in use by another Roadstead, process ${used.parent}.`);
  }
  if (found.length > 0) await endCluster(cluster);
  // PostgreSQL removes a lock file whose process is gone, but refuses to start where another process has its number
  // by now.
  for (const lock of locks) {
    const pid = Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
    if (pid > 0 && kill(pid, 0)) await rm(lock, { force: true });
  }
}

/**
 * Finds processes by the cluster's name in their command line, which PostgreSQL also puts in its children's titles.
 */
async function clusterProcesses(cluster: string): Promise<ClusterProcess[]> {
  const all = process.platform === 'linux' ? await readProc(cluster) : await readPs();
  return all.flatMap(({ pid, parent, command }): ClusterProcess[] => {
    if (command.startsWith(`postgres: ${cluster}: `)) return [{ pid, parent, owner: undefined }];
    const owner = /\/postgres .*roadstead\.owner=(\d+)/.exec(command)?.[1];
    return owner && command.includes(`cluster_name=${cluster}`)
      ? [{ pid, parent, owner: Number(owner) }]
      : [];
  });
}

async function readProc(wanted: string) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = (await readProcFile(pid, 'cmdline')).replaceAll('\0', ' ');
      if (!command.includes(wanted)) return [];
      // "pid (name) state parent …", where the name may hold spaces and parentheses.
      const [, parent] = (await readProcFile(pid, 'stat')).split(') ').at(-1)?.split(' ') ?? [];
      return [{ pid: Number(pid), parent: Number(parent), command }];
    }),
  );
  return found.flat();
}

/** Empty when the process has ended meanwhile, like the command line of a zombie. */
const readProcFile = (pid: string, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');

async function readPs() {
  const { stdout } = await promisify(execFile)('ps', ['-axwwo', 'pid=,ppid=,args='], { maxBuffer: 2 ** 26 });
  return stdout.split('\n').map((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), command };
  });
}

/** Answers whether there was such a process to signal. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
