import type { Principal } from '@roadstead/contracts';
import { callerOf } from '../access/access.ts';
import type { AccessRules, Attempt, Caller, MetadataFilters } from '../access/caller.ts';
import { containmentOf, matchesFilters } from '../access/filter-rules.ts';
import { losesHold } from '../access/refusal-rules.ts';

/** A call that was permitted, as the handlers of the LangGraph API use it. */
export interface PermittedCall {
  readonly caller: Caller;
  /** The request as the deployment's own `auth` has changed it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The metadata that things must have to be visible. */
  readonly filters: MetadataFilters | null;
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
export function metadataOf({ value }: Pick<PermittedCall, 'value'>): Readonly<Record<string, unknown>> {
  return (value['metadata'] as Readonly<Record<string, unknown>> | null | undefined) ?? {};
}

/** Whether a caller who makes or changes something with this metadata still sees it. */
export const keepsHold = (
  metadata: Readonly<Record<string, unknown>>,
  { filters }: { readonly filters: MetadataFilters | null },
): boolean => matchesFilters(metadata, filters);

/** @throws Problem `forbidden` */
export function requireHold(
  metadata: Readonly<Record<string, unknown>>,
  permitted: { readonly filters: MetadataFilters | null },
): void {
  if (!keepsHold(metadata, permitted)) throw losesHold();
}
