import type { CompiledGraph } from '../values/langgraph-types.ts';
import { isMessage } from '../values/messages.ts';

/**
 * Derives the answer of a run in which no assistant spoke: what the output schema shows of the last state, and of its
 * messages those of this run. Null where nothing is left. Pure.
 */
export function outputOf(
  last: unknown,
  {
    channels,
    isOfRun,
  }: { readonly channels: CompiledGraph['outputChannels']; readonly isOfRun: (message: object) => boolean },
): unknown {
  const shown = (value: unknown) => withoutEarlier(value, isOfRun);
  if (!isRecord(last)) return shown(last) ?? null;
  if (typeof channels === 'string') return shown(channels in last ? last[channels] : last) ?? null;
  const fields = Object.entries(last).flatMap(([name, value]) => {
    const field = channels?.includes(name) === false ? undefined : shown(value);
    return field === undefined ? [] : [[name, field] as const];
  });
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

/** Undefined for a list that holds nothing but earlier messages. */
function withoutEarlier(value: unknown, isOfRun: (message: object) => boolean): unknown {
  if (!Array.isArray(value)) return value;
  const left = value.filter((one: unknown) => !isMessage(one) || isOfRun(one));
  return left.length === 0 && value.length > 0 ? undefined : left;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
