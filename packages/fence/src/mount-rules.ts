/** The part of the machine that a fenced program sees, as a table for `mount --all`. Pure. */

/** A mounted file system, from `/proc/self/mountinfo`. */
export interface Mount {
  readonly path: string;
  readonly options: readonly string[];
}

export interface View {
  /** The empty folder that becomes the program's root. */
  readonly root: string;
  /** Folders that it may read. */
  readonly reads: readonly string[];
  /** Folders that it may write to. */
  readonly writes: readonly string[];
  /** Entries of `/proc` through which the system can be changed. */
  readonly system_entries: readonly string[];
  /** The mounts of the machine. */
  readonly mounts: readonly Mount[];
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
/** In memory, like the root, and small; larger files belong in the program's home. */
const SCRATCH = ['/dev/shm', '/tmp'];

/** The folders that the table mounts onto, relative to the root; the root has none of them yet. */
export function foldersOf({ reads, writes }: Pick<View, 'reads' | 'writes'>): string[] {
  const own = ['/.before', '/etc', '/proc', ...SCRATCH];
  return [...own, ...reads, ...writes].map((path) => path.slice(1));
}

export function mountTable({ root, reads, writes, system_entries, mounts }: View): string {
  const bind = (from: string, to: string, options: readonly string[]) =>
    line(from, root + to, 'none', [...options, ...inherited(mounts, from)]);
  const read = (path: string) =>
    // A recursive mount is read-only at its top alone: each mount below is covered by itself, once more.
    [path, ...mountsBelow(mounts, path)].map((one) => bind(one, one, ['rbind', 'ro', 'nosuid', 'nodev']));
  return [
    // Each is a mount of its own, since the root becomes read-only; they come first, since others may lie below.
    ...SCRATCH.map((path) => line(root + path, root + path, 'none', ['bind', 'nosuid', 'nodev'])),
    ...outermost(reads).flatMap(read),
    ...DEVICES.map((name) => line(`/dev/${name}`, `${root}/dev/${name}`, 'none', ['bind'])),
    line('proc', `${root}/proc`, 'proc', ['nosuid', 'nodev', 'noexec']),
    ...system_entries.map((name) =>
      line(`${root}/proc/${name}`, `${root}/proc/${name}`, 'none', [
        'bind',
        'ro',
        'nosuid',
        'nodev',
        'noexec',
      ]),
    ),
    ...writes.map((path) => bind(path, path, ['rbind', 'nosuid', 'nodev'])),
  ].join('');
}

/** Leaves out folders inside another one; parents come before children. */
export function outermost(paths: readonly string[]): string[] {
  const sorted = [...new Set(paths)].toSorted();
  return sorted.filter((path) => !sorted.some((other) => other !== path && isWithin(path, other)));
}

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

function mountsBelow(mounts: readonly Mount[], folder: string): string[] {
  const paths = mounts.map(({ path }) => path).filter((path) => path !== folder && isWithin(path, folder));
  return [...new Set(paths)].toSorted();
}

/** The kernel refuses a mount that allows more than the one it is made from. */
function inherited(mounts: readonly Mount[], path: string): string[] {
  const over = mounts.filter((mount) => isWithin(path, mount.path));
  const deepest = over.toSorted((one, other) => one.path.length - other.path.length).at(-1);
  return deepest?.options.includes('noexec') === true ? ['noexec'] : [];
}

/** Parses the text of `/proc/self/mountinfo`; the last mount of a path hides the others. */
export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo
    .split('\n')
    .map((one) => one.split(' '))
    .flatMap(([, , , , path, options]) =>
      path === undefined || options === undefined
        ? []
        : [
            {
              path: path.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
                String.fromCodePoint(Number.parseInt(octal, 8)),
              ),
              options: options.split(','),
            },
          ],
    );
}

const line = (from: string, to: string, type: string, options: readonly string[]) =>
  `${[from, to, type, options.join(',')].map(escaped).join(' ')} 0 0\n`;

const escaped = (field: string) =>
  field.replaceAll(/[ \t\n\\#]/g, (sign) => `\\${(sign.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`);
