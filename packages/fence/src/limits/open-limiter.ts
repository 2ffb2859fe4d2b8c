import { existsSync, readFileSync } from 'node:fs';
import { openCgroups } from './cgroups.ts';
import { type Limiter, unlimited } from './limits.ts';
import { MemoryWatch } from './memory-watch.ts';

export interface OpenedLimiter {
  readonly limiter: Limiter;
  /** Why the kernel does not enforce limits; undefined where it does. */
  readonly why_not_kernel: string | undefined;
}

/** The best limiter that this machine allows, found by trying. */
export async function openLimiter(data_folder: string): Promise<OpenedLimiter> {
  if (!existsSync('/proc/self/status'))
    return { limiter: unlimited, why_not_kernel: 'control groups are a part of Linux' };
  const found = await openCgroups(data_folder, {
    cgroup: readFileSync('/proc/self/cgroup', 'utf8'),
    mountinfo: readFileSync('/proc/self/mountinfo', 'utf8'),
  });
  if (typeof found !== 'string') return { limiter: found, why_not_kernel: undefined };
  return { limiter: new MemoryWatch(), why_not_kernel: found };
}
