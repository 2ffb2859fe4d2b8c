import { execFile } from 'node:child_process';
import { SYSTEM_PATH } from './remove-tree.ts';

/** More paths than this don't fit into the arguments of one program. */
const AT_ONCE = 100;

/**
 * The disk usage of folders in bytes, each with everything in it. They may hold millions of files: the system's own
 * program measures them without holding our event loop. Files that it can't read, or that are gone, count nothing.
 */
export async function sizesOfTrees(paths: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += AT_ONCE)
    for (const line of (await diskUsage(paths.slice(at, at + AT_ONCE))).split('\n')) {
      const [, kilobytes, path = ''] = /^(\d+)\s+(.+)$/.exec(line) ?? [];
      if (kilobytes !== undefined) sizes.set(path, Number(kilobytes) * 1024);
    }
  return sizes;
}

/** It also exits with an error where it could not read everything. */
function diskUsage(paths: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('du', ['-sk', '--', ...paths], { cwd: '/', env: { PATH: SYSTEM_PATH } }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
