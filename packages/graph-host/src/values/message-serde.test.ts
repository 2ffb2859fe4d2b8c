import * as core from '@langchain/core/messages';
import { Send } from '@langchain/langgraph';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf } from './dict-json.ts';
import type { Serde } from './langgraph-types.ts';
import { learned, messageSerde } from './message-serde.ts';

const stock = new MemorySaver().serde;
await learned(stock);
const quick = messageSerde(stock);

const text = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.oneof(
  text,
  fc.constantFrom('lc', 'type', 'id', 'kwargs', 'lg_name', '__lc_escaped__', 'toJSON', 'camelKey'),
);
const plain = fc.jsonValue({ maxDepth: 3 });
/** What only the stock way can do, and objects that look as if. */
const special = fc.oneof(
  fc.constant(undefined),
  plain.map((value) => new Map([['key', value]])),
  plain.map((value) => new Set([value])),
  text.map((message) => new Error(message)),
  plain.map((value) => new Send('node', value)),
  fc.constantFrom(/a+/g, new Uint8Array([1, 2]), NaN, -0, () => 1),
  fc.record({
    lc: fc.constantFrom(1, 2, 3),
    type: fc.constantFrom('constructor', 'undefined', 'secret'),
    id: plain,
  }),
  plain.map((value) => ({ __lc_escaped__: value })),
  plain.map((value) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as unknown),
  plain.map((value) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'AIMessage'],
    kwargs: value,
  })),
);
const data = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 1, arbitrary: special },
  { weight: 1, arbitrary: fc.dictionary(name, fc.oneof(plain, special), { maxKeys: 3 }) },
);
const call = fc.record({
  name: text,
  args: fc.dictionary(name, data, { maxKeys: 3 }),
  id: text,
  type: fc.constant('tool_call'),
});
const fields = fc.record(
  {
    content: fc.oneof(
      text,
      fc.array(fc.record({ type: fc.constantFrom('text', 'image_url', 'tool_call'), text }), {
        maxLength: 3,
      }),
    ),
    id: fc.option(text, { nil: undefined }),
    name: fc.option(text, { nil: undefined }),
    additional_kwargs: fc.dictionary(name, data, { maxKeys: 3 }),
    response_metadata: fc.oneof(
      fc.dictionary(name, data, { maxKeys: 2 }),
      fc.constant({ output_version: 'v1' }),
    ),
    tool_calls: fc.array(call, { maxLength: 2 }),
    usage_metadata: fc.constant({ input_tokens: 1, output_tokens: 1, total_tokens: 2 }),
    unknownField: data,
  },
  { requiredKeys: ['content'] },
);
const message = fc
  .tuple(
    fc.constantFrom(
      core.HumanMessage,
      core.AIMessage,
      core.SystemMessage,
      core.ToolMessage,
      core.AIMessageChunk,
      core.RemoveMessage,
      core.FunctionMessage,
      core.ChatMessage,
      core.HumanMessageChunk,
    ),
    fields,
  )
  .map(
    ([Class, made]) =>
      new (Class as new (given: object) => object)({ ...made, tool_call_id: 'call', role: 'user' }),
  );
const state = fc.oneof(
  fc.array(message, { maxLength: 4 }),
  fc.array(fc.oneof(message, data), { maxLength: 4 }),
  fc.dictionary(name, fc.oneof(data, message, fc.array(message, { maxLength: 3 })), { maxKeys: 4 }),
  data,
  message,
);

const written = async (serde: Serde, value: unknown) => {
  const [type, bytes] = await serde.dumpsTyped(value);
  return [type, Buffer.from(bytes).toString()] as const;
};
const read = (serde: Serde, [type, json]: readonly [string, string]) =>
  serde.loadsTyped(type, Buffer.from(json)).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: String(error) }),
  );

const again = async (loaded: object) => ('value' in loaded ? written(stock, loaded.value) : undefined);

test('when messages are shown, then clients see what each tells of itself', () => {
  fc.assert(
    fc.property(state, (value) => {
      // Beside what is no plain data the quick way is not taken.
      expect(jsonOf({ value: [value] })).toBe(
        jsonOf({ value: [value], none: 1n }).replace(/,"none":"1"}$/, '}'),
      );
    }),
    { numRuns: 1000 },
  );
});

test('when a message was changed, then it is shown as it is', () => {
  const [named, called] = [new core.HumanMessage('a'), new core.AIMessage('b')];
  Object.assign(named, { type: 'other', content: 'changed' });
  Object.assign(called, { getType: () => 'another' });
  expect(JSON.parse(jsonOf([named, called]))).toMatchObject([
    { type: 'other', content: 'changed' },
    { type: 'another', content: 'b' },
  ]);
});

test('when a state is written and read, then it is as by the stock serializer', async () => {
  await fc.assert(
    fc.asyncProperty(state, async (value) => {
      const expected = await written(stock, value);
      expect(await written(quick, value)).toEqual(expected);
      const [own, theirs] = [await read(quick, expected), await read(stock, expected)];
      expect(own).toStrictEqual(theirs);
      expect(await again(own)).toEqual(await again(theirs));
    }),
    { numRuns: 500 },
  );
});

test('when messages are plain, then they do not go the stock way', async () => {
  const serde = messageSerde({
    constructor: stock.constructor,
    dumpsTyped: () => Promise.reject(new Error('the stock way')),
    loadsTyped: () => Promise.reject(new Error('the stock way')),
  } as Serde);
  const said = [new core.HumanMessage({ content: 'hello', id: '1' }), new core.AIMessage('hi')];
  expect(await serde.loadsTyped(...(await serde.dumpsTyped(said)))).toEqual(said);
});

test('when a copy of LangChain reads messages otherwise, then they are written the stock way', async () => {
  class Other extends (stock.constructor as new () => Serde) {
    override async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
      const loaded = await super.loadsTyped(type, data);
      if (core.BaseMessage.isInstance(loaded)) loaded.additional_kwargs = { read: 'otherwise' };
      return loaded;
    }
  }
  const other = new Other();
  await learned(other);
  const written_one = await written(stock, new core.HumanMessage('hello'));
  expect(await read(messageSerde(other), written_one)).toEqual(await read(other, written_one));
});

test('when a BigInt stands anywhere, then it is written as its digits, for this writer alone', async () => {
  const big = 2n ** 70n;
  const digits = String(big);
  const held = [
    big,
    { big },
    [new Map([['big', big]]), new Set([big])],
    [new core.AIMessage({ content: 'x', additional_kwargs: { big } })],
  ];
  for (const value of held) {
    const [, bytes] = await quick.dumpsTyped(value);
    expect(new TextDecoder().decode(bytes)).toContain(`"${digits}"`);
  }
  expect(await quick.loadsTyped('json', (await quick.dumpsTyped({ big }))[1])).toEqual({ big: digits });
  expect(() => JSON.stringify({ big })).toThrow(TypeError);
  const same = '[unable to serialize, it says]';
  expect(await quick.loadsTyped('json', (await quick.dumpsTyped(same))[1])).toBe(same);
});
