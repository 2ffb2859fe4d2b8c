import type { Side } from '@roadstead/contracts/messages';

/** Messages that come one after the other, each told once: a side of a run with those that it has not got yet. */

type Free = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const names = { inputs: 'input', outputs: 'output' } as const satisfies Record<Side, string>;

/** What else the side holds stays beside its messages. */
export function withMessages(base: unknown, added: unknown, side: Side): Free {
  const whole = isObject(base) ? base : base === undefined ? {} : { [names[side]]: base };
  const before = listIn(whole['messages']);
  const known = Map.groupBy(
    before.map((message) => JSON.stringify(message)),
    (text) => text,
  );
  const more = listIn(isObject(added) ? added['messages'] : undefined).filter(
    (message) => known.get(JSON.stringify(message))?.pop() === undefined,
  );
  return { ...whole, messages: [...before, ...more] };
}

const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
