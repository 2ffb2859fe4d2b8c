import type { Run } from '@roadstead/contracts/observability';

/** Groups errors that differ only in ids, numbers and quoted texts. */

export interface ErrorGroup {
  readonly message: string;
  readonly count: number;
  /** The trace of the newest one. */
  readonly trace_id: string;
  readonly start_time: string | undefined;
}

const MAX_GROUPS = 10;
const KEY_CHARS = 300;

/** @param runs newest first; the groups have the same order */
export function groupErrors(
  runs: readonly Pick<Run, 'id' | 'trace_id' | 'error' | 'start_time'>[],
): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const { id, trace_id, error, start_time } of runs) {
    const message = error ?? 'an error without a message';
    const key = kindOf(message);
    const known = groups.get(key);
    groups.set(
      key,
      known === undefined
        ? { message, count: 1, trace_id: trace_id ?? id, start_time }
        : { ...known, count: known.count + 1 },
    );
  }
  return [...groups.values()].slice(0, MAX_GROUPS);
}

/** The first line, without the parts that differ from one time to the next. */
function kindOf(message: string): string {
  const line = message.slice(0, KEY_CHARS).split('\n', 1)[0] ?? '';
  return line
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi, '#')
    .replaceAll(/"[^"]*"|'[^']*'/g, '#')
    .replaceAll(/\d+(\.\d+)?/g, '#');
}
