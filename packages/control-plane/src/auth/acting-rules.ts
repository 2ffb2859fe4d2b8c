import type { Principal } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** Decides for whom a caller acts. */

export interface Caller {
  readonly workspace_id: string;
  readonly actor: string;
  /** The user that the caller’s key is bound to; it acts for nobody else. */
  readonly subject: string | undefined;
  /** Set where the key belongs to a deployment. */
  readonly deployment_id: string | undefined;
}

export const callerOf = ({ workspace_id, actor, subject, deployment_id }: Principal): Caller => ({
  workspace_id,
  actor,
  subject,
  deployment_id,
});

/**
 * The user that a request is about: the one that it names, else the caller.
 * @throws Problem `forbidden` where the key is bound to somebody else.
 */
export function userOf({ subject, actor }: Caller, named: string | null | undefined): string {
  if (subject !== undefined && named !== undefined && named !== null && named !== subject)
    throw new Problem('forbidden', 'This key is bound to a user, and acts for no one else.');
  return named ?? subject ?? actor;
}

/** The users whose tokens a list or a deletion is about. */
export type TokenFilter =
  | { readonly user_id: string }
  /** Everything that was created with one key. */
  | { readonly created_by: string };

/** @throws Problem `forbidden` like `userOf` */
export function tokenFilterOf(caller: Caller, named: string | undefined): TokenFilter {
  if (named === undefined && caller.subject === undefined) return { created_by: caller.actor };
  return { user_id: userOf(caller, named) };
}

/** A deployment’s key reaches the flows of its own agents; another key those of the users that it may act for. */
export function reachesFlow(
  caller: Caller,
  flow: { readonly user_id: string; readonly deployment_id: string | null },
): boolean {
  if (caller.deployment_id !== undefined) return caller.deployment_id === flow.deployment_id;
  return mayActFor(caller, flow.user_id);
}

/** @param user_id null for an agent’s own token, which belongs to no user */
export function mayActFor({ subject }: Caller, user_id: string | null): boolean {
  return subject === undefined || subject === user_id;
}
