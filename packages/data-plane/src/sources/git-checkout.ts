import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstLinkOut } from '@roadstead/archives';
import { Problem } from '@roadstead/kit';
import type { Git } from './git-command.ts';
import {
  addEntry,
  emptyTree,
  isLfsPointer,
  mentionsLfs,
  type Tree,
  type TreeLimits,
  treeRefusal,
  warningsOf,
} from './git-tree-rules.ts';
import type { Destination } from '../ports/source.ts';

interface CheckOut {
  readonly commit_sha: string;
  /** The ref as it was given. */
  readonly ref: string;
  /** The folder of git's objects. */
  readonly repository: string;
  readonly into: Destination;
  readonly limits: TreeLimits;
}

/** Unpacks a fetched commit, once it is known to be small enough; links out of it are refused. */
export async function checkOut(git: Git, wanted: CheckOut): Promise<void> {
  const { commit_sha, repository, into } = wanted;
  const { folder, onLine } = into;
  const run = { writes: [folder, repository] };
  const inRepository = [`--git-dir=${repository}`, `--work-tree=${folder}`, '-c', 'core.bare=false'];
  const type = await git.run([...inRepository, 'cat-file', '-t', commit_sha], run);
  if (type.trim() !== 'commit')
    throw new Problem('invalid', `${wanted.ref} of ${git.address.url} is a ${type.trim()}, not a commit.`, {
      code: 'git_ref_unknown',
    });
  const tree = await readTree(git, wanted);
  await git.run([...inRepository, 'checkout', '--quiet', '--force', '--detach', commit_sha, '--'], run);
  const out = await firstLinkOut(folder, { links: tree.symlinks, signal: into.signal });
  if (out !== undefined)
    throw new Problem(
      'invalid',
      `The repository's link ${JSON.stringify(out.slice(0, 200))} leads out of it.`,
      {
        code: 'git_link_refused',
        hint: 'Commit what it links to in its place.',
      },
    );
  const pointers = await lfsPointers(folder, tree);
  for (const warning of warningsOf({ submodules: tree.submodules, pointers })) onLine(warning, 'WARNING');
}

/** Lists the contents of the commit, before any of it is unpacked. */
async function readTree(git: Git, { commit_sha, repository, limits }: CheckOut): Promise<Tree> {
  const tree = emptyTree();
  const stop = new AbortController();
  let held = '';
  const onOutput = (text: string) => {
    if (stop.signal.aborted) return;
    const entries = (held + text).split('\0');
    held = entries.pop() ?? '';
    for (const entry of entries) addEntry(tree, entry);
    const refusal = treeRefusal(tree, limits);
    if (refusal !== undefined) stop.abort(refusal);
  };
  await git.run([`--git-dir=${repository}`, 'ls-tree', '-r', '-l', '-z', '--full-tree', commit_sha], {
    writes: [repository],
    onOutput,
    signal: stop.signal,
  });
  return tree;
}

async function lfsPointers(folder: string, { attributes, small }: Tree): Promise<string[]> {
  const textOf = (path: string) => readFile(join(folder, path), 'utf8').catch(() => '');
  const pointers: string[] = [];
  for (const path of attributes) {
    if (!mentionsLfs(await textOf(path))) continue;
    for (const file of small) if (isLfsPointer(await textOf(file))) pointers.push(file);
    break;
  }
  return pointers;
}
