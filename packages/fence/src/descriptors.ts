import { constants, openSync, readdirSync, readFileSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/**
 * Node opens its own descriptors so that no child inherits them; those that it was started with, a child may inherit.
 */

/** Descriptors that a program started now would inherit beside those that it is given. */
function inheritedDescriptors(): number[] {
  return namesIn('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => fd > 2 && isHandedOn(fd));
}

/** Without `/proc` (macOS) a child gets what it is given and nothing else. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isHandedOn(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor is closed by now.
    return false;
  }
}

/** The flag as the kernel writes it, on every processor that Node runs on; Node has no name for it. */
const CLOSE_ON_EXEC = 0o2000000;

/** Looked up once: what this process was started with does not change, and it may have thousands open later. */
const inherited_ones: readonly number[] = inheritedDescriptors();

let nothing: number | undefined;

/**
 * The descriptors for a program that reads nothing and has this many pipes from 1 on: anything that it would inherit
 * is replaced by nothing.
 */
export function ownDescriptors(pipes: number): StdioOptions {
  const inherited = new Set(inherited_ones.filter((fd) => fd > pipes));
  if (inherited.size > 0) nothing ??= openSync('/dev/null', constants.O_RDONLY);
  return Array.from({ length: Math.max(pipes, ...inherited) + 1 }, (_, fd) => {
    if (fd > 0 && fd <= pipes) return 'pipe';
    return inherited.has(fd) ? nothing : 'ignore';
  });
}
