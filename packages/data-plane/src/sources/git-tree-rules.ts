import { Problem } from '@roadstead/kit';

/** Summarizes the tree of a commit, from the output of `git ls-tree -r -l -z`. */

export interface TreeLimits {
  readonly entries: number;
  /** The limit of all files together, unpacked. */
  readonly bytes: number;
}

/** The entries of a tree so far. */
export interface Tree {
  entries: number;
  bytes: number;
  readonly symlinks: string[];
  readonly submodules: string[];
  /** Files with attributes, which change how others are treated. */
  readonly attributes: string[];
  /** Files small enough to be the pointers that Git LFS leaves. */
  readonly small: string[];
}

export const emptyTree = (): Tree => ({
  entries: 0,
  bytes: 0,
  symlinks: [],
  submodules: [],
  attributes: [],
  small: [],
});

const SYMLINK = '120000';
const SUBMODULE = '160000';
const POINTER_BYTES = { min: 100, max: 1024 };
/** The most files of a kind that is only warned of. */
const MAX_LISTED = 5000;

/** Adds one entry: mode, type, id, size, path. */
export function addEntry(tree: Tree, entry: string): void {
  const [, mode = '', size = '', path = ''] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t([^]*)$/.exec(entry) ?? [];
  const bytes = size === '-' ? 0 : Number(size);
  tree.entries += 1;
  tree.bytes += bytes;
  if (mode === SYMLINK) tree.symlinks.push(path);
  else if (mode === SUBMODULE) list(tree.submodules, path);
  else if (/(?:^|\/)\.gitattributes$/.test(path)) list(tree.attributes, path);
  else if (bytes >= POINTER_BYTES.min && bytes <= POINTER_BYTES.max) list(tree.small, path);
}

function list(paths: string[], path: string): void {
  if (paths.length < MAX_LISTED) paths.push(path);
}

/** Why a tree, as far as it was read, is refused. */
export function treeRefusal({ entries, bytes }: Tree, limits: TreeLimits): Problem | undefined {
  if (entries > limits.entries)
    return new Problem('too_large', `The repository has more than ${limits.entries} files.`, {
      code: 'git_too_large',
    });
  if (bytes > limits.bytes)
    return new Problem('too_large', `The repository unpacks to more than ${limits.bytes} bytes.`, {
      code: 'git_too_large',
    });
  return undefined;
}

const POINTER = 'version https://git-lfs.github.com/spec/v1\n';

export const isLfsPointer = (text: string): boolean => text.startsWith(POINTER);
export const mentionsLfs = (attributes: string): boolean => /\bfilter=lfs\b/.test(attributes);

/** The warnings of the build log about parts of a repository that are not fetched. */
export function warningsOf({
  submodules,
  pointers,
}: {
  readonly submodules: readonly string[];
  readonly pointers: readonly string[];
}): string[] {
  return [
    ...(submodules.length === 0
      ? []
      : [`submodules are not fetched, their folders stay empty: ${someOf(submodules)}`]),
    ...(pointers.length === 0
      ? []
      : [`files of Git LFS are not fetched, their pointers stay in their place: ${someOf(pointers)}`]),
  ];
}

const SHOWN = 5;

function someOf(paths: readonly string[]): string {
  const rest = paths.length - SHOWN;
  return paths.slice(0, SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
