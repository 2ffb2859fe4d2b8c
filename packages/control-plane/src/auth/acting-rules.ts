import type { Principal } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** For whom a caller acts. */

export interface Caller {
  readonly workspace_id: string;
  readonly actor: string;
  /** Whom the caller’s key is bound to; it acts for nobody else. */
  readonly subject: string | undefined;
  /** Set where the key is a deployment’s own. */
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
    throw new Problem('forbidden', 'This key is bound to a user, and acts for nobody else.');
  return named ?? subject ?? actor;
}

/** Whose tokens a list or a deletion is about. */
export type Whose =
  | { readonly user_id: string }
  /** Everything that was got with one key. */
  | { readonly created_by: string };

/** @throws Problem `forbidden` as `userOf` does */
export function whoseOf(caller: Caller, named: string | undefined): Whose {
  if (named === undefined && caller.subject === undefined) return { created_by: caller.actor };
  return { user_id: userOf(caller, named) };
}

/** A deployment’s key reaches what its own agents were given; another key whomever it may act for. */
export function reachesFlow(
  caller: Caller,
  flow: { readonly user_id: string; readonly deployment_id: string | null },
): boolean {
  if (caller.deployment_id !== undefined) return caller.deployment_id === flow.deployment_id;
  return mayActFor(caller, flow.user_id);
}

/** @param user_id null where it is an agent’s own, which is nobody’s in particular. */
export function mayActFor({ subject }: Caller, user_id: string | null): boolean {
  return subject === undefined || subject === user_id;
}
