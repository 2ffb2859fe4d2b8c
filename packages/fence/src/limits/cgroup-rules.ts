import type { Limits } from './limits.ts';

/** Decides where control groups (version 2) can be created on this machine, and what is written to them. Pure. */

/** A control group, as its folder shows it. */
export interface Cgroup {
  readonly path: string;
  /** Whether we may create groups below it and move processes there. */
  readonly is_writable: boolean;
  /** The controllers that it could enable for groups below it, and those that it enables. */
  readonly controllers: readonly string[];
  readonly given: readonly string[];
  readonly has_processes: boolean;
}

export type CgroupPlan =
  | {
      readonly kind: 'usable';
      /** Groups are created below this path. */
      readonly path: string;
      /** Controllers to enable for groups below it, in the format of its file. */
      readonly to_give: readonly string[];
      readonly limits_cpu: boolean;
    }
  | { readonly kind: 'unusable'; readonly why: string };

/**
 * The group to create others below: the nearest one, from our own upwards, that we may write to and that enables
 * memory for groups below it, or can. It can't while it holds processes (our own are never moved).
 */
export function planCgroup(groups: readonly Cgroup[]): CgroupPlan {
  if (groups.length === 0)
    return { kind: 'unusable', why: 'this machine has no control groups of version 2' };
  const writable = groups.filter(({ is_writable }) => is_writable);
  if (writable.length === 0) return { kind: 'unusable', why: 'no control group is delegated to this user' };
  for (const { path, controllers, given, has_processes } of writable) {
    const gives = has_processes ? given : [...given, ...controllers];
    if (!gives.includes('memory')) continue;
    const to_give = has_processes
      ? []
      : ['memory', 'cpu'].filter((one) => gives.includes(one) && !given.includes(one));
    return { kind: 'usable', path, to_give, limits_cpu: gives.includes('cpu') };
  }
  return {
    kind: 'unusable',
    why: 'the control group that is delegated to this user limits no memory, or holds processes itself',
  };
}

/** Our own group, from the text of `/proc/self/cgroup`. */
export const ownGroup = (text: string): string | undefined => /^0::(\/.*)$/m.exec(text)?.[1];

interface GroupMount {
  readonly path: string;
  /** The topmost group there. */
  readonly top: string;
}

/** Where groups of version 2 are mounted, from the text of `/proc/self/mountinfo`. */
export function groupMount(mountinfo: string): GroupMount | undefined {
  for (const line of mountinfo.split('\n')) {
    const [, , , top, path] = line.split(' ');
    if (/ - cgroup2 /.test(line) && top !== undefined && path !== undefined) return { path, top };
  }
  return undefined;
}

/** The folders of our group and of those above it, the nearest first. */
export function foldersAbove(mount: GroupMount, own: string): string[] {
  const top = mount.top === '/' ? '' : mount.top;
  if (own !== mount.top && !own.startsWith(`${top}/`)) return [];
  const parts = own
    .slice(top.length)
    .split('/')
    .filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, left_out) =>
    [mount.path, ...parts.slice(0, parts.length - left_out)].join('/'),
  );
}

const PERIOD_US = 100_000;

/** The contents of a new group's files. Nothing of a program is swapped out: it would only become slow. */
export function limitFiles({ memory_mb, cpus }: Limits, limits_cpu: boolean): [string, string][] {
  const quota = Math.round((cpus ?? 0) * PERIOD_US);
  return [
    ['memory.max', String(memory_mb * 1_048_576)],
    ['memory.swap.max', '0'],
    // Its processes end together: a host without its children, or these without it, is useless.
    ['memory.oom.group', '1'],
    ...(cpus === undefined || !limits_cpu ? [] : [['cpu.max', `${quota} ${PERIOD_US}`] as [string, string]]),
  ];
}

/** How many processes of a group were killed for its memory, from the text of `memory.events`. */
export const oomKills = (text: string): number => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
