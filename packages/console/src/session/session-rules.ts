/** What follows from refused tokens and from another person. */

/** Agents have an `auth` of their own, which may refuse whoever the platform lets in: a new token would not help. */
export const isRenewable = (url: string): boolean => !new URL(url).pathname.startsWith('/agents/');

interface Person {
  readonly actor: string;
  readonly workspace: { readonly id: string } | null;
}

/** Whether what was loaded for one person must not be shown to the other. */
export const isOther = (before: Person | undefined, now: Person): boolean =>
  before !== undefined && (before.actor !== now.actor || before.workspace?.id !== now.workspace?.id);
