import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  record,
  string,
} from 'fast-check';
import { expect, it } from 'vitest';
import { beginReading } from './sent-json-codec.ts';
import { decodeBatch } from './json-codec.ts';
import { mainFieldNames } from './run-fields-rules.ts';
import { payloadKinds } from '../records/run-operation.ts';

const ID = '018f0000-0000-7000-8000-000000000001';

/** Texts of members, some of them no JSON. */
const text = oneof(
  jsonValue().map((value) => JSON.stringify(value)),
  constantFrom(
    'NaN',
    '[1,-Infinity]',
    'tru',
    '12345678901234567890',
    '-1.50E+3',
    String.raw`"a\ud800\u0000"`,
    'null',
    '{}',
  ),
  constantFrom(`"${ID}"`, '"llm"', '"2026-01-05T10:20:30Z"', '["a"]', '{"metadata":{"thread_id":"t"}}'),
);
const member = dictionary(oneof(constantFrom(...mainFieldNames, ...payloadKinds), string()), text, {
  maxKeys: 8,
});
const run = record({
  members: member,
  twice: array(constantFrom(...payloadKinds), { maxLength: 1 }),
  again: text,
});

async function decoded(json: string) {
  const { faults, ...reading } = beginReading();
  const { runs } = await decodeBatch(Buffer.from(json), { ...reading, faults });
  const texts = runs.map(({ payloads, ...others }) => ({
    ...others,
    payloads: Object.entries(payloads).map(([kind, bytes]) => [kind, Buffer.from(bytes).toString()]),
  }));
  return { runs: texts, issues: faults.issues };
}

it('when a run is parsed at once, then it reads as one that is read member by member', async () => {
  await assert(
    asyncProperty(run, async ({ members, twice, again }) => {
      const named = [...Object.entries(members), ...twice.map((kind) => [kind, again] as const)];
      const all = [
        ['id', `"${ID}"`] as const,
        ...named.filter(([name]) => name !== 'id' && name !== 'padding'),
      ];
      const small = all.map(([name, json]) => `${JSON.stringify(name)}:${json}`);
      const large = [...small, `"padding":"${' '.repeat(70_000)}"`];
      const [one, other] = [small, large].map((some) => `{"post":[{"id":"${ID}"},{${some.join(',')}}]}`);
      expect(await decoded(one ?? '')).toEqual(await decoded(other ?? ''));
    }),
  );
});
