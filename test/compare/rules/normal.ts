import type { Answer, Call } from '../calls/call.ts';

/** What an answer is without what differs from call to call: ids, instants and hashes have names instead. Pure. */

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g;
const HASH = /\b[0-9a-f]{32}\b/g;

/** The answers of a scenario; ids that a call kept are named by it, so that they are told apart. */
export function normalAnswers(calls: readonly Call[], answers: readonly Answer[]): Answer[] {
  const names = new Map<string, string>();
  return answers.map((answer, place) => {
    const { keep, unordered = false } = calls[place] ?? {};
    if (keep !== undefined && answer.kind === 'value') nameIds(names, keep, answer.value);
    const normal = normalValue(answer, names) as Answer;
    return unordered ? sorted(normal) : normal;
  });
}

function nameIds(names: Map<string, string>, path: string, value: unknown): void {
  if (typeof value === 'string') {
    for (const [id] of value.matchAll(UUID))
      if (id === value && path.endsWith('_id') && !names.has(id)) names.set(id, `<${path}>`);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) nameIds(names, `${path}.${name}`, one);
}

function normalValue(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value
      .replaceAll(UUID, (id) => names.get(id) ?? '<id>')
      .replaceAll(INSTANT, '<time>')
      .replaceAll(HASH, '<hash>');
  if (Array.isArray(value)) return value.map((one) => normalValue(one, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, one]) => [normalValue(name, names) as string, normalValue(one, names)] as const,
  );
  return Object.fromEntries(withOwnNames(entries));
}

/** Several ids as names of fields become one name: they are numbered, by what they hold. */
function withOwnNames(
  entries: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const counts = new Map<string, number>();
  if (new Set(entries.map(([name]) => name)).size === entries.length) return entries;
  const inOrder = entries.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return inOrder.map(([name, value]) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [count === 1 ? name : `${name} ${count}`, value];
  });
}

/** Lists at the top, in an order that both sides share. */
function sorted(answer: Answer): Answer {
  const inOrder = (list: readonly unknown[]) =>
    list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (answer.kind === 'stream') return { ...answer, events: inOrder(answer.events) as typeof answer.events };
  if (answer.kind !== 'value') return answer;
  const { value } = answer;
  if (Array.isArray(value)) return { ...answer, value: inOrder(value) };
  if (typeof value !== 'object' || value === null) return answer;
  const lists = Object.entries(value).map(([name, one]) => [
    name,
    Array.isArray(one) ? inOrder(one) : (one as unknown),
  ]);
  return { ...answer, value: Object.fromEntries(lists) as unknown };
}
