import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin, type Mount, parseMounts } from './mount-rules.ts';

/** The part of this machine that a fenced program may see, no matter who owns it. */

/** Programs and libraries. Deliberately absent: /home, /root, /var, /run, /srv, /mnt, /sys, most of /etc and /dev. */
const SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix',
  '/gnu',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/fonts',
  '/etc/ld.so.conf.d',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
];

/** Files that are copied at the start of each program. */
const SYSTEM_FILES = [
  '/etc/gai.conf',
  '/etc/host.conf',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/os-release',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/timezone',
];

/** Where the fence looks for its own programs: never on anybody's PATH. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** The path of a system program; undefined where there is none. */
export const systemProgram = (name: string): string | undefined =>
  SYSTEM_PATH.split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

export interface VisiblePaths {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** Those folders and files that this machine has, and the Node that runs us. */
export const shownOfSystem = (): VisiblePaths =>
  sortPaths([...SYSTEM_FOLDERS, dirname(process.execPath), ...SYSTEM_FILES]);

/** Leaves out folders that contain something hidden, and files in it: these are not shown at all. */
export function showable({ folders, files }: VisiblePaths, hidden: readonly string[]): VisiblePaths {
  const places = hidden.map(realPath);
  return {
    folders: folders.filter((path) => !places.some((one) => isWithin(one, realPath(path)))),
    files: files.filter((path) => !places.some((one) => isWithin(realPath(path), one))),
  };
}

/** The place that a path leads to, through links, and in any way of writing it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The existing ones of a program's own paths, folders apart from files. */
export function sortPaths(paths: readonly string[]): VisiblePaths {
  const found = paths.flatMap((named) => {
    const path = resolve(named);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, is_folder: stat.isDirectory() }];
  });
  return {
    folders: found.filter(({ is_folder }) => is_folder).map(({ path }) => path),
    files: found.filter(({ is_folder }) => !is_folder).map(({ path }) => path),
  };
}

export const mountsOfMachine = (): Mount[] => parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));

/**
 * Entries of `/proc` beside processes: folders, and files that somebody may write to. Their owner, which as root a
 * fenced program would be too, could change the kernel's settings there without any right.
 */
export function systemEntries(): string[] {
  return readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => !/^\d+$/.test(entry.name) && !entry.isSymbolicLink())
    .filter((entry) => entry.isDirectory() || isWritable(`/proc/${entry.name}`))
    .map(({ name }) => name)
    .toSorted();
}

const isWritable = (path: string) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o222) !== 0;
