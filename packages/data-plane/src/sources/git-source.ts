import { mkdir } from 'node:fs/promises';
import { type GitAddress, type GitRef, readGitAddress, readGitRef } from '@roadstead/contracts/git';
import { Problem } from '@roadstead/kit';
import { removeTree } from '../folders/remove-tree.ts';
import { checkOut } from './git-checkout.ts';
import { Git, type GitContext } from './git-command.ts';
import { type ResolvedRef, resolveRef } from './git-refs.ts';
import type { TreeLimits } from './git-tree-rules.ts';
import type { Destination, FetchSource } from '../ports/source.ts';

export interface GitSourceOptions extends GitContext {
  /** The limits of a commit's files. */
  readonly limits?: TreeLimits;
}

const LIMITS: TreeLimits = { entries: 100_000, bytes: 2_000_000_000 };

/** Fetches a commit of a repository: its files without its history. */
export function createGitSource({ limits = LIMITS, ...context }: GitSourceOptions): FetchSource<'git'> {
  return async (source, into) => {
    const { address, ref } = readGitSource(source);
    const credentials = source.has_credentials ? await into.credentials() : null;
    const [home, repository] = [`${into.folder}.git-home`, `${into.folder}.git`];
    const { onLine, signal } = into;
    try {
      await using git = await Git.open(context, {
        address,
        credentials,
        home,
        signal,
        onLine: (line) => onLine(line, 'WARNING'),
      });
      const named = await resolveNamed(git, { ref, commit_sha: source.commit_sha });
      await into.onCommit(named.commit_sha);
      const wanted: CommitRequest = { ...named, ref: source.ref, address, repository, into };
      onLine(`fetching ${source.ref} of ${address.url} at ${shortOf(named.commit_sha)}`, 'INFO');
      await fetchCommit(git, wanted);
      onLine(`fetched ${Math.ceil(git.received / 1000)} kB`, 'INFO');
      // The files to check out are somebody else's: no credentials are around from here on.
      await git.disconnect();
      await checkOut(git, { ...wanted, limits });
    } finally {
      for (const path of [home, repository]) await removeTree(path);
    }
  };
}

interface CommitRequest extends ResolvedRef {
  readonly ref: string;
  readonly address: GitAddress;
  /** The folder of git's objects. */
  readonly repository: string;
  readonly into: Destination;
}

/** Checked again where it is used, no matter who assigned it. */
export function readGitSource({ repo_url, ref }: { readonly repo_url: string; readonly ref: string }): {
  readonly address: GitAddress;
  readonly ref: GitRef;
} {
  const [address, wanted] = [readGitAddress(repo_url), readGitRef(ref)] as const;
  if (address.kind === 'refused')
    throw new Problem('invalid', `The repository's address can't be used. ${address.message}`, {
      code: 'git_address_refused',
    });
  if (wanted.kind === 'refused')
    throw new Problem('invalid', `The ref can't be used. ${wanted.message}`, { code: 'git_ref_refused' });
  return { address: address.address, ref: wanted.ref };
}

/** A commit that is known already stays the one, wherever the ref points by now. */
async function resolveNamed(
  git: Git,
  { ref, commit_sha }: { readonly ref: GitRef; readonly commit_sha: string | null },
): Promise<ResolvedRef> {
  if (commit_sha === null) return resolveRef(git, ref);
  return { commit_sha, full_name: ref.kind === 'named' ? ref.full : undefined };
}

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
];
/** Like `--unshallow`, which git refuses for a complete repository. */
const WHOLE_HISTORY = '--depth=2147483647';
const KEPT = 'refs/roadstead/commit';

async function fetchCommit(git: Git, wanted: CommitRequest): Promise<void> {
  const { commit_sha, repository, into } = wanted;
  const run = { writes: [into.folder, repository] };
  const format = commit_sha.length === 64 ? 'sha256' : 'sha1';
  // The fence can only show folders that exist.
  await mkdir(repository, { mode: 0o700 });
  await git.run(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, repository], run);
  const fetch = (depth: string, refs: readonly string[]) =>
    git.ask((url) => [`--git-dir=${repository}`, ...FETCH, depth, '--', url, ...refs], run);
  const asked = await fetch('--depth=1', [`+${commit_sha}:${KEPT}`]);
  if (asked.kind === 'answered') return;
  // Old servers return what a ref names, and nothing by its id.
  if (asked.isHidden) {
    const { full_name } = wanted;
    const refs =
      full_name === undefined
        ? ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
        : [`+${full_name}:${KEPT}`];
    for (const depth of ['--depth=1', WHOLE_HISTORY]) {
      if ((await fetch(depth, refs)).kind !== 'answered') break;
      if (await hasCommit(git, wanted)) return;
    }
  }
  throw goneProblem(wanted);
}

async function hasCommit(git: Git, { commit_sha, repository }: CommitRequest): Promise<boolean> {
  return git
    .run([`--git-dir=${repository}`, 'cat-file', '-e', `${commit_sha}^{commit}`], {
      writes: [repository],
    })
    .then(
      () => true,
      () => false,
    );
}

function goneProblem({ commit_sha, ref, address }: CommitRequest): Problem {
  const isById = ref.toLowerCase() === commit_sha;
  return new Problem(
    'invalid',
    isById
      ? `There is no commit ${shortOf(commit_sha)} in ${address.url}.`
      : `Commit ${shortOf(commit_sha)} of ${ref} is gone from ${address.url}.`,
    {
      code: 'git_commit_gone',
      hint: isById
        ? 'Was it pushed?'
        : 'A force push, or the removal of the branch, took it away. Make a new revision to deploy what is there now.',
    },
  );
}

const shortOf = (commit_sha: string): string => commit_sha.slice(0, 7);
