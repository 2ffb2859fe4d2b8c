import { Problem } from '@roadstead/kit';
import type { AccessRules, Caller } from './caller.ts';
import { matchesFilters } from './filter-rules.ts';

/** The fields of an assistant that decide who sees it. */
export interface Visible {
  readonly assistant_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Whether `auth` lets a caller see an assistant that a client made; every caller sees those of graphs. */
export async function seesAssistant(
  access: AccessRules,
  { caller, assistant: { assistant_id, metadata } }: { readonly caller: Caller; readonly assistant: Visible },
): Promise<boolean> {
  try {
    const asked = { resource: 'assistants', action: 'read', value: { assistant_id } } as const;
    const { filters } = await access.authorize(caller, asked);
    return matchesFilters(metadata, filters);
  } catch (error) {
    // Any kind of refusal hides it.
    if (error instanceof Problem && error.kind !== 'unavailable') return false;
    throw error;
  }
}

/** Assistants by their id, or by the id of a graph whose own assistant is meant. */
export interface AssistantsByName<A extends Visible> {
  find(name: string): Promise<A | undefined>;
  /** Whether it is the own assistant of a graph that is served. */
  isOwn(assistant_id: string): boolean;
}

/** An assistant that a caller may run; any other is reported as missing. */
export async function findSeenAssistant<A extends Visible>(
  { assistants, access }: { readonly assistants: AssistantsByName<A>; readonly access: AccessRules },
  { caller, name }: { readonly caller: Caller; readonly name: string },
): Promise<A | undefined> {
  const assistant = await assistants.find(name);
  if (assistant === undefined || assistants.isOwn(assistant.assistant_id)) return assistant;
  return (await seesAssistant(access, { caller, assistant })) ? assistant : undefined;
}
