import type { Answer } from '../calls/call.ts';

/** Where two answers differ. Pure. */

export interface Difference {
  /** Names of fields; lists by `[]`, the events of a stream by their name. */
  readonly path: string;
  /** `undefined` where it is not there. */
  readonly theirs: unknown;
  readonly ours: unknown;
}

export function differencesOf(theirs: Answer, ours: Answer): Difference[] {
  if (theirs.kind !== ours.kind) return [{ path: 'kind', theirs: brief(theirs), ours: brief(ours) }];
  if (theirs.kind === 'stream' && ours.kind === 'stream') return ofStreams(theirs.events, ours.events);
  return distinct([...ofValues('', theirs, ours)]);
}

/** What an answer of another kind is called in the table. */
const brief = (answer: Answer): unknown =>
  answer.kind === 'stream' ? answer.events.map(({ event }) => event) : answer;

type Events = readonly { readonly event: string; readonly data: unknown }[];

function ofStreams(theirs: Events, ours: Events): Difference[] {
  const names = (events: Events) => events.map(({ event }) => event);
  const found: Difference[] = [];
  if (names(theirs).join(' ') !== names(ours).join(' '))
    found.push({ path: 'events', theirs: names(theirs), ours: names(ours) });
  for (const name of new Set(names(theirs))) {
    const named = (events: Events) => events.filter(({ event }) => event === name);
    const here = named(ours);
    for (const [place, { data }] of named(theirs).entries()) {
      const twin = here[place];
      if (twin !== undefined) found.push(...ofValues(`event ${name}`, data, twin.data));
    }
  }
  return distinct(found);
}

function* ofValues(path: string, theirs: unknown, ours: unknown): Generator<Difference> {
  if (isObject(theirs) && isObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)]))
      yield* ofValues(path === '' ? name : `${path}.${name}`, theirs[name], ours[name]);
  } else if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length)
      yield { path: `${path}.length`, theirs: theirs.length, ours: ours.length };
    for (const [place, one] of theirs.entries())
      if (place < ours.length) yield* ofValues(`${path}[]`, one, ours[place]);
  } else if (theirs !== ours) yield { path, theirs, ours };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function distinct(found: readonly Difference[]): Difference[] {
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}
