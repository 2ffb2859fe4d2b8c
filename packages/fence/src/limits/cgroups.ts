import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Cgroup,
  foldersAbove,
  groupMount,
  limitFiles,
  oomKills,
  ownGroup,
  planCgroup,
} from './cgroup-rules.ts';
import type { LimitedProgram, Limiter, Limits } from './limits.ts';

/** The files by which the kernel describes this process. */
export interface ProcFiles {
  readonly cgroup: string;
  readonly mountinfo: string;
}

const ENTER = ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"'];
const TRIES = 20;
const RETRY_MS = 100;

/**
 * A limiter that creates a control group for each program, below one that is named after our data folder; or a
 * sentence why it can't. Programs that a killed process of ours left there are ended first.
 */
export async function openCgroups(data_folder: string, proc: ProcFiles): Promise<Limiter | string> {
  const mount = groupMount(proc.mountinfo);
  const own = ownGroup(proc.cgroup);
  const folders = mount === undefined || own === undefined ? [] : foldersAbove(mount, own);
  const plan = planCgroup(folders.map(groupAt));
  if (plan.kind === 'unusable') return plan.why;
  const name = `roadstead-${createHash('sha256').update(data_folder).digest('hex').slice(0, 12)}`;
  const base = join(plan.path, name);
  try {
    give(plan.path, plan.to_give);
    await removeLeft(base);
    mkdirSync(base, { recursive: true });
    give(base, plan.limits_cpu ? ['memory', 'cpu'] : ['memory']);
    const limiter = limiterOf(base, plan.limits_cpu);
    const trial = limiter.hold({ memory_mb: 256, cpus: 1 });
    const [program, ...args] = [...trial.enter, '/bin/sh', '-c', 'exit 0'];
    await promisify(execFile)(program ?? '', args).finally(() => trial.release());
    return limiter;
  } catch (error) {
    return `control groups can't be used (${(error as NodeJS.ErrnoException).code ?? 'they did not hold'})`;
  }
}

function limiterOf(base: string, limits_cpu: boolean): Limiter {
  return { kind: 'cgroup', limits_cpu, hold: (limits) => hold(base, { limits, limits_cpu }) };
}

function hold(base: string, { limits, limits_cpu }: { limits: Limits; limits_cpu: boolean }): LimitedProgram {
  const folder = join(base, randomUUID());
  mkdirSync(folder);
  for (const [file, text] of limitFiles(limits, limits_cpu)) writeIfThere(join(folder, file), text);
  return {
    enter: [...ENTER, join(folder, 'cgroup.procs')],
    watch: () => undefined,
    kill: () => kill(folder),
    release: () => {
      const was_exceeded = oomKills(textOf(join(folder, 'memory.events'))) > 0;
      kill(folder);
      void remove(folder);
      return was_exceeded;
    },
  };
}

function groupAt(path: string): Cgroup {
  const words = (file: string) =>
    textOf(join(path, file))
      .split(/\s+/)
      .filter((word) => word !== '');
  return {
    path,
    is_writable: ['.', 'cgroup.procs', 'cgroup.subtree_control'].every((file) =>
      isWritable(join(path, file)),
    ),
    controllers: words('cgroup.controllers'),
    given: words('cgroup.subtree_control'),
    has_processes: words('cgroup.procs').length > 0,
  };
}

function give(path: string, controllers: readonly string[]): void {
  if (controllers.length === 0) return;
  writeFileSync(join(path, 'cgroup.subtree_control'), controllers.map((one) => `+${one}`).join(' '));
}

/** Ends everything that runs in a group; older kernels have no such file. */
const kill = (folder: string) => writeIfThere(join(folder, 'cgroup.kill'), '1');

/** A group can be removed only once its last process is gone. */
async function remove(folder: string): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      return rmdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      await setTimeout(RETRY_MS);
    }
  }
}

async function removeLeft(base: string): Promise<void> {
  for (const name of namesIn(base)) {
    kill(join(base, name));
    await remove(join(base, name));
  }
}

function namesIn(base: string): string[] {
  try {
    return readdirSync(base, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Skips files that this kernel does not have; a limit that can't be set is an error. */
function writeIfThere(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'r+' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
