import { type GitRef, isLikeCommit } from '@roadstead/contracts/git';
import { Problem } from '@roadstead/kit';
import type { Git } from './git-command.ts';

/** Where a ref points. */
export interface ResolvedRef {
  readonly commit_sha: string;
  /** The full name of the ref, which for `HEAD` is the branch's; undefined for a commit by its id. */
  readonly full_name: string | undefined;
}

/** Refs whose commit a host is asked for. */
type MovingRef = Exclude<GitRef, { readonly kind: 'commit' }>;

const LINE = /^([0-9a-f]{40,64})\t(\S+)$/gm;
const SYMREF = /^ref: (refs\/\S+)\tHEAD$/m;
const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** Asks the host where a ref points; an annotated tag is followed to its commit. */
export async function resolveRef(git: Git, ref: GitRef): Promise<ResolvedRef> {
  if (ref.kind === 'commit') return { commit_sha: ref.sha, full_name: undefined };
  const found = await findRef(git, ref);
  if (found.kind === 'found') return found.ref;
  throw found.problem;
}

export type FoundRef =
  | { readonly kind: 'found'; readonly ref: ResolvedRef }
  | { readonly kind: 'missing'; readonly problem: Problem };

export async function findRef(git: Git, ref: MovingRef): Promise<FoundRef> {
  const patterns = patternsOf(ref);
  const asked = await git.ask((url) => ['ls-remote', '--symref', '--', url, ...patterns], { writes: [] });
  const output = asked.kind === 'answered' ? asked.output : '';
  return refIn(output, { ref, url: git.address.url });
}

/**
 * The patterns to ask for. A branch's name also asks for a tag, so that a user who means the tag learns how to name
 * it.
 */
function patternsOf(ref: MovingRef): readonly string[] {
  if (ref.kind === 'default') return ['HEAD'];
  if (ref.full.startsWith(BRANCHES)) return [ref.full, `${TAGS}${ref.full.slice(BRANCHES.length)}`];
  return [ref.full, `${ref.full}^{}`];
}

/** Parses the output of `git ls-remote --symref`. */
export function refIn(
  output: string,
  { ref, url }: { readonly ref: MovingRef; readonly url: string },
): FoundRef {
  const shas = new Map([...output.matchAll(LINE)].map(([, sha = '', name = '']) => [name, sha]));
  const name = ref.kind === 'default' ? 'HEAD' : ref.full;
  const commit_sha = shas.get(`${name}^{}`) ?? shas.get(name);
  if (commit_sha !== undefined) {
    const full_name = ref.kind === 'default' ? (SYMREF.exec(output)?.[1] ?? 'HEAD') : ref.full;
    return { kind: 'found', ref: { commit_sha, full_name } };
  }
  return { kind: 'missing', problem: missing(ref, { url, shas }) };
}

function missing(
  ref: MovingRef,
  { url, shas }: { readonly url: string; readonly shas: ReadonlyMap<string, string> },
): Problem {
  const say = (message: string, hint?: string) =>
    new Problem('invalid', message, { code: 'git_ref_unknown', ...(hint === undefined ? {} : { hint }) });
  if (ref.kind === 'default') return say(`${url} has no commits yet.`);
  const { full } = ref;
  if (full.startsWith(TAGS)) return say(`There is no tag ${full.slice(TAGS.length)} in ${url}.`);
  if (!full.startsWith(BRANCHES)) return say(`There is no ref ${full} in ${url}.`);
  const name = full.slice(BRANCHES.length);
  const tag = `${TAGS}${name}`;
  if (shas.has(tag))
    return say(`There is no branch ${name} in ${url}.`, `There is a tag: give it as ${tag}.`);
  return say(
    `There is no branch ${name} in ${url}.`,
    isLikeCommit(name)
      ? 'A commit is given by its whole id.'
      : 'A branch is given by its name, a tag as refs/tags/…, a commit by its whole id.',
  );
}
