import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { multipartInit, type Part, startFixture } from '../testing/observability-fixture.ts';
import { mainFieldNames } from '../decoding/run-fields-rules.ts';
import { payloadKinds } from '../records/run-operation.ts';

/** A bad value of any kind, in any field, loses nothing but itself. */

const fixture = useFixture(startFixture);

const fields = [...mainFieldNames, ...payloadKinds];
/** Values as JSON texts, or texts that only resemble JSON. */
const values: Readonly<Record<string, string | undefined>> = {
  missing: undefined,
  null: 'null',
  'a number': '7',
  'a text': '"\u00fc"',
  'a list': '[[{}], 1]',
  'an object': '{"a":{"b":1}}',
  true: 'true',
  NaN: 'NaN',
  'NaN inside': '{"a":[NaN,-Infinity]}',
  NUL: String.raw`"a\u0000b"`,
  'half a surrogate pair': String.raw`"a\ud800b"`,
  'an empty text': '""',
  'an empty object': '{}',
  'a bare word': 'undefined',
};
const TEN_MB = `"${'x'.repeat(10_000_000)}"`;

const runOf = (id: string) => ({
  id,
  trace_id: id,
  dotted_order: `20260105T102030123456Z${id}`,
  run_type: 'tool',
});
/** The members of a run, with one of them as it stands. */
function textOf(id: string, field: string, value: string | undefined): string {
  const others = Object.entries({ ...runOf(id), name: 'bad', start_time: '2026-01-05T10:20:30Z' });
  const written = others
    .filter(([name]) => name !== field)
    .map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`);
  return `{${[...written, ...(value === undefined ? [] : [`${JSON.stringify(field)}:${value}`])].join(',')}}`;
}

async function storedOf(ids: readonly string[]): Promise<Set<unknown>> {
  const response = await fixture().send('/runs/query', {
    method: 'POST',
    body: JSON.stringify({ id: ids, select: ['id', 'name', 'inputs', 'extra'] }),
  });
  expect(response.status).toBe(200);
  const { runs } = (await response.json()) as { runs: { id: string }[] };
  return new Set(runs.map((run) => run.id));
}

const takenWhole = { status: 202, lost: [] };

/** Sends good runs around a bad one for each field. */
async function sendBatch(value: string | undefined, names: readonly string[]) {
  const ids = names.flatMap(() => [uuidv7(), uuidv7()]);
  const post = names.flatMap((field, at) => [
    JSON.stringify(runOf(ids[2 * at] ?? '')),
    textOf(ids[2 * at + 1] ?? '', field, value),
  ]);
  const response = await fixture().send('/runs/batch', { method: 'POST', body: `{"post":[${post.join()}]}` });
  const stored = await storedOf(ids);
  return { status: response.status, lost: ids.filter((id) => !stored.has(id)) };
}

async function sendParts(value: string | undefined, names: readonly string[]) {
  const ids = names.flatMap(() => [uuidv7(), uuidv7()]);
  const parts = names.flatMap((field, at): Part[] => {
    const [good = '', bad = ''] = [ids[2 * at], ids[2 * at + 1]];
    const isPayload = payloadKinds.some((kind) => kind === field);
    return [
      [`post.${good}`, JSON.stringify(runOf(good))],
      [`post.${good}.inputs`, '{"good":true}'],
      ...(isPayload
        ? ([
            [`post.${bad}`, JSON.stringify(runOf(bad))],
            [`post.${bad}.${field}`, value ?? ''],
          ] as const)
        : ([[`post.${bad}`, textOf(bad, field, value)]] as const)),
    ];
  });
  const response = await fixture().send('/runs/multipart', multipartInit(parts));
  const stored = await storedOf(ids);
  return { status: response.status, lost: ids.filter((id) => !stored.has(id)) };
}

it.each(Object.entries(values))(
  'when any field of a batch is %s, then nothing else is lost',
  async (_kind, value) => {
    expect(await sendBatch(value, fields)).toEqual(takenWhole);
  },
);

it.each(Object.entries(values))(
  'when any field of a multipart body is %s, then nothing else is lost',
  async (_kind, value) => {
    expect(await sendParts(value, fields)).toEqual(takenWhole);
  },
);

/** Such a text swallows what follows, so only a part of its own can hold it. */
it('when any payload of a multipart body is a text without its end, then nothing else is lost', async () => {
  expect(await sendParts('"abc', payloadKinds)).toEqual(takenWhole);
});

it.each(fields)('when 10 MB stand in %s, then nothing else is lost', async (field) => {
  expect(await sendBatch(TEN_MB, [field])).toEqual(takenWhole);
  expect(await sendParts(TEN_MB, [field])).toEqual(takenWhole);
});

it.each([
  ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['an empty part', ''],
  ['a byte order mark', '\ufeff{"a":1}'],
])('when a payload or a run holds %s, then all runs are stored', async (_name, content) => {
  const [good, bad, worse] = [uuidv7(), uuidv7(), uuidv7()];
  const response = await fixture().send(
    '/runs/multipart',
    multipartInit([
      [`post.${good}`, JSON.stringify(runOf(good))],
      [`post.${bad}`, JSON.stringify(runOf(bad))],
      ...payloadKinds.map((kind): Part => [`post.${bad}.${kind}`, content]),
      [`post.${worse}`, content],
      [`post.${worse}.inputs`, '{"left":true}'],
    ]),
  );
  expect(response.status).toBe(202);
  expect(await storedOf([good, bad, worse])).toEqual(new Set([good, bad, worse]));
});
