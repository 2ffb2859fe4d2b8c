/** The ref of a repository that is wanted. */
export type GitRef =
  /** The branch that the repository's host shows first. */
  | { readonly kind: 'default' }
  /** A ref by its whole name, such as `refs/heads/main`. */
  | { readonly kind: 'named'; readonly full: string }
  | { readonly kind: 'commit'; readonly sha: string };

export type ReadGitRef =
  | { readonly kind: 'read'; readonly ref: GitRef }
  | { readonly kind: 'refused'; readonly message: string };

const MAX_LENGTH = 255;

/** The id of a commit, in SHA-1 or SHA-256. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Whether `git check-ref-format` refuses a part of a name between slashes. */
const isWrongPart = (part: string): boolean => /^\.|\.lock$|^$/.test(part);
// oxlint-disable-next-line no-control-regex -- these are what git refuses
const WRONG_ANYWHERE = /[\u0000- \u007f~^:?*[\\]|\.\.|@\{|\.$|^@$/;

const refuse = (message: string): ReadGitRef => ({ kind: 'refused', message });

/** Reads a ref: a branch by its bare name, a tag or another ref by its whole one, a whole commit id, or `HEAD`. */
export function readGitRef(text: string): ReadGitRef {
  if (text === 'HEAD') return { kind: 'read', ref: { kind: 'default' } };
  if (COMMIT.test(text)) return { kind: 'read', ref: { kind: 'commit', sha: text.toLowerCase() } };
  const full = text.startsWith('refs/') ? text : `refs/heads/${text}`;
  const parts = full.split('/');
  const name = parts.slice(2).join('/');
  const isWrong = name === '' || name.startsWith('-') || WRONG_ANYWHERE.test(text) || parts.some(isWrongPart);
  if (isWrong || text.length > MAX_LENGTH)
    return refuse('A ref is a branch by its name, a tag as refs/tags/…, or the whole id of a commit.');
  return { kind: 'read', ref: { kind: 'named', full } };
}

/** Whether a name may be meant as the beginning of a commit's id, which git hosts don't look up. */
export const isLikeCommit = (name: string): boolean => /^[0-9a-f]{7,63}$/i.test(name);
