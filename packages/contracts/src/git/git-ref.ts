/** What of a repository is wanted. */
export type GitRef =
  /** The branch that the repository's host shows first. */
  | { readonly kind: 'default' }
  | { readonly kind: 'branch'; readonly name: string }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'commit'; readonly sha: string };

export type ReadGitRef =
  | { readonly kind: 'read'; readonly ref: GitRef }
  | { readonly kind: 'refused'; readonly message: string };

const MAX_LENGTH = 255;
const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** The id of a commit, in SHA-1 or SHA-256. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** What `git check-ref-format` refuses in a part of a name between slashes, and what is refused anywhere in it. */
const WRONG_PART = /^\.|\.lock$|^$/;
// oxlint-disable-next-line no-control-regex -- these are what git refuses
const WRONG_ANYWHERE = /[\u0000- \u007f~^:?*[\\]|\.\.|@\{|\.$|^@$|^-/;

const refuse = (message: string): ReadGitRef => ({ kind: 'refused', message });

/** Reads a ref: a branch by its bare name, a tag as `refs/tags/…`, a whole commit id, or `HEAD`. */
export function readGitRef(text: string): ReadGitRef {
  if (text === 'HEAD') return { kind: 'read', ref: { kind: 'default' } };
  if (COMMIT.test(text)) return { kind: 'read', ref: { kind: 'commit', sha: text.toLowerCase() } };
  const isTag = text.startsWith(TAGS);
  const name = isTag
    ? text.slice(TAGS.length)
    : text.startsWith(BRANCHES)
      ? text.slice(BRANCHES.length)
      : text;
  if (!isTag && name.startsWith('refs/'))
    return refuse('A ref is a branch by its name, a tag as refs/tags/…, or the whole id of a commit.');
  if (
    text.length > MAX_LENGTH ||
    WRONG_ANYWHERE.test(name) ||
    name.split('/').some((part) => WRONG_PART.test(part))
  )
    return refuse('It is no name that git allows for a branch or a tag.');
  return { kind: 'read', ref: { kind: isTag ? 'tag' : 'branch', name } };
}

/** Whether a name may be meant as the beginning of a commit's id, which git hosts don't look up. */
export const isLikeCommit = (name: string): boolean => /^[0-9a-f]{7,63}$/i.test(name);
