import type { Principal } from '@roadstead/contracts';
import { callerOf } from '../access/access.ts';
import type { AccessRules, Attempt, Caller, Permission } from '../access/caller.ts';
import { containmentOf, matchesFilters } from '../access/filter-rules.ts';
import { losesHold } from '../access/refusal-rules.ts';

/** A call that was permitted, as the handlers of the LangGraph API use it. */
export interface PermittedCall extends Permission {
  readonly caller: Caller;
  /** The same, as JSON that the metadata must contain. */
  readonly within: Readonly<Record<string, unknown>>;
}

/** @throws Problem `forbidden` */
export async function permit(
  access: AccessRules,
  { principal, ...attempt }: Attempt & { readonly principal: Principal },
): Promise<PermittedCall> {
  const caller = callerOf(principal);
  const { value, filters } = await access.authorize(caller, attempt);
  return { caller, value, filters, within: containmentOf(filters) };
}

/** The metadata to be written, as `auth` has stamped it. */
export function metadataOf({ value }: Pick<Permission, 'value'>): Readonly<Record<string, unknown>> {
  return (value['metadata'] as Readonly<Record<string, unknown>> | null | undefined) ?? {};
}

/** Whether a caller who makes or changes something with this metadata still sees it. */
export const keepsHold = (
  metadata: Readonly<Record<string, unknown>>,
  { filters }: Pick<Permission, 'filters'>,
): boolean => matchesFilters(metadata, filters);

/** @throws Problem `forbidden` */
export function requireHold(
  metadata: Readonly<Record<string, unknown>>,
  permitted: Pick<Permission, 'filters'>,
): void {
  if (!keepsHold(metadata, permitted)) throw losesHold();
}
