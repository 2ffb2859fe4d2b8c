/** Which frame a path has: most need somebody who is signed in. */
export type ShellKind = 'callback' | 'open' | 'signed_in';

const kinds: readonly (readonly [path: RegExp, kind: ShellKind])[] = [
  [/^(?:\/console)?\/callback$/, 'callback'],
  // What is shared by link.
  [/^(?:\/console)?\/public\//, 'open'],
];

export const shellOf = (path: string): ShellKind =>
  kinds.find(([pattern]) => pattern.test(path))?.[1] ?? 'signed_in';
