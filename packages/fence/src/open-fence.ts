import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@roadstead/kit';
import { type Fence, openNamespaces, openProcesses } from './fence.ts';
import { type Limiter, unlimited } from './limits/limits.ts';
import { probe } from './probe.ts';
import { existsSync, readFileSync } from 'node:fs';
import { openCgroups } from './limits/cgroups.ts';
import { MemoryWatch } from './limits/memory-watch.ts';

export interface FenceOptions {
  /** `auto` is the best that this machine allows. */
  readonly isolation: 'auto' | 'none' | 'namespace';
  /** Our folder, which no program sees except for its own part of it. */
  readonly data_folder: string;
  /** The folders of our sockets. */
  readonly sockets: readonly string[];
}

export interface OpenedFence {
  readonly fence: Fence;
  /** Why there is no fence, although `auto` was asked for. */
  readonly why_none: string | undefined;
  /** Why the kernel does not enforce limits; undefined where it does. */
  readonly why_not_kernel: string | undefined;
}

/**
 * The best fence that this machine allows, found by running it.
 * @throws Problem when it is not the one that was asked for, or when programs would run as root.
 */
export async function openFence(options: FenceOptions): Promise<OpenedFence> {
  const { limiter, why_not_kernel } = await openLimiter(options.data_folder);
  if (options.isolation === 'none')
    return { fence: await processes(options, limiter), why_none: undefined, why_not_kernel };
  const { data_folder, sockets } = options;
  const root = join(data_folder, 'fence');
  await mkdir(root, { recursive: true });
  const why =
    process.platform === 'linux'
      ? await whyNot(() => openNamespaces({ hidden: [data_folder, ...sockets], root }, limiter), options)
      : 'namespaces are a part of Linux';
  if (typeof why !== 'string') return { fence: why, why_none: undefined, why_not_kernel };
  if (options.isolation === 'namespace')
    throw new Problem(
      'invalid',
      `ROADSTEAD_ISOLATION is namespace, which this machine does not allow: ${why}.`,
      {
        hint: 'SECURITY.md describes what it needs.',
      },
    );
  return { fence: await processes(options, limiter), why_none: why, why_not_kernel };
}

/** Every system has this user. */
const NOBODY = 65_534;

async function processes(options: FenceOptions, limiter: Limiter): Promise<Fence> {
  if (process.getuid?.() !== 0) return openProcesses(undefined, limiter);
  const fence = openProcesses(NOBODY, limiter);
  const why = await whyNot(() => fence, options);
  if (typeof why !== 'string') return fence;
  throw new Problem(
    'invalid',
    `Code of users never runs as root, and unshare could not give it another user: ${why}.`,
    {
      hint: 'Start Roadstead as an ordinary user.',
    },
  );
}

/** Opens the fence, or answers in words why it does not hold. */
async function whyNot(open: () => Fence, { data_folder }: FenceOptions): Promise<Fence | string> {
  const folder = join(data_folder, 'probe');
  try {
    const secret = join(folder, 'secret');
    const writes = join(folder, 'writes');
    await mkdir(writes, { recursive: true });
    await writeFile(secret, 'hidden');
    const fence = open();
    const why = await probe(fence, { secret, writes });
    return why ?? fence;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface OpenedLimiter {
  readonly limiter: Limiter;
  /** Why the kernel does not enforce limits; undefined where it does. */
  readonly why_not_kernel: string | undefined;
}

/** The best limiter that this machine allows, found by trying. */
async function openLimiter(data_folder: string): Promise<OpenedLimiter> {
  if (!existsSync('/proc/self/status'))
    return { limiter: unlimited, why_not_kernel: 'control groups are a part of Linux' };
  const found = await openCgroups(data_folder, {
    cgroup: readFileSync('/proc/self/cgroup', 'utf8'),
    mountinfo: readFileSync('/proc/self/mountinfo', 'utf8'),
  });
  if (typeof found !== 'string') return { limiter: found, why_not_kernel: undefined };
  return { limiter: new MemoryWatch(), why_not_kernel: found };
}
