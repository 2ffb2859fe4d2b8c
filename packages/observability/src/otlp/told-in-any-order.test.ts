import { randomBytes } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import { array, assert, asyncProperty, nat, shuffledSubarray, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';
import { runIdOf } from './span-placement-rules.ts';

/** A span arrives when it begins, when it ends, and in log records: the run is the same in any order. */

const fixture = useFixture(startFixture);

type Free = Readonly<Record<string, unknown>>;
interface SpanPart {
  readonly at: 'traces' | 'logs';
  readonly said: Free;
}

const valueOf = (value: unknown): Free =>
  typeof value === 'string'
    ? { stringValue: value }
    : typeof value === 'number'
      ? { intValue: value }
      : Array.isArray(value)
        ? { arrayValue: { values: value.map(valueOf) } }
        : { kvlistValue: { values: keyValues(value as Free) } };
const keyValues = (said: Free) =>
  Object.entries(said).map(([key, value]) => ({ key, value: valueOf(value) }));

const SECOND = 1_000_000_000n;
const START = 1_767_603_600n * SECOND;
const timeOf = (second: number) => String(START + BigInt(second) * SECOND);

const begun = (name: string, attributes: Free): SpanPart => ({
  at: 'traces',
  said: { name, startTimeUnixNano: timeOf(0), attributes: keyValues(attributes) },
});
const ended = (attributes: Free, more: Free = {}): SpanPart => ({
  at: 'traces',
  said: {
    name: 'chat',
    startTimeUnixNano: timeOf(0),
    endTimeUnixNano: timeOf(9),
    attributes: keyValues({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 3, ...attributes }),
    ...more,
  },
});
const record = (second: number, event: string, body: Free, attributes: Free = {}): SpanPart => ({
  at: 'logs',
  said: {
    timeUnixNano: timeOf(second),
    eventName: event,
    body: valueOf(body),
    attributes: keyValues({ 'gen_ai.system': 'example', ...attributes }),
  },
});

const system = record(1, 'gen_ai.system.message', { content: 'Be brief.' });
const user = record(2, 'gen_ai.user.message', { content: 'hello' });
const assistant = record(3, 'gen_ai.assistant.message', { content: 'hi' });
const again = record(4, 'gen_ai.user.message', { content: 'hello' }, { 'app.note': 'asked twice' });
const choice = record(5, 'gen_ai.choice', { finish_reason: 'stop', message: { content: 'hello again' } });
const details = record(6, 'gen_ai.client.inference.operation.details', {
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'details' }] }],
  'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'detailed' }] }],
});
const prompt = record(7, 'gen_ai.content.prompt', {}, { 'gen_ai.prompt': '{"question":"how much"}' });
const asked = { 'gen_ai.input.messages': '[{"role":"user","content":"hello"}]' };
const answered = { 'gen_ai.output.messages': '[{"role":"assistant","content":"said by the span"}]' };
const event = {
  name: 'gen_ai.user.message',
  timeUnixNano: timeOf(1),
  attributes: keyValues({ content: 'an event' }),
};

const cases: readonly (readonly [string, readonly SpanPart[], Free])[] = [
  [
    'a span that says both sides, and records that say more',
    [begun('begun', asked), ended({ ...asked, ...answered }), system, user, choice],
    {
      name: 'chat',
      inputs: { messages: [{ content: 'hello' }, { content: 'Be brief.' }] },
      outputs: { messages: [{ content: 'said by the span' }, { content: 'hello again' }] },
      inputs_preview: 'Be brief.',
      outputs_preview: 'hello again',
    },
  ],
  [
    'a span that says nothing',
    [begun('begun', { 'input.value': 'a draft' }), ended({}), system, user, assistant, again, choice],
    {
      inputs: {
        input: 'a draft',
        messages: ['Be brief.', 'hello', 'hi', 'hello'].map((content) => ({ content })),
      },
      outputs: { messages: [{ content: 'hello again', finish_reason: 'stop' }] },
      prompt_tokens: 3,
    },
  ],
  [
    'records without a choice',
    [ended({}), system, user, assistant],
    {
      inputs: { messages: [{ content: 'Be brief.' }, { content: 'hello' }] },
      outputs: { messages: [{ content: 'hi' }] },
    },
  ],
  [
    'records that end with a question',
    [ended({}), user, assistant, again],
    { inputs: { messages: ['hello', 'hi', 'hello'].map((content) => ({ content })) }, outputs: null },
  ],
  [
    'a span that says what it was asked',
    [begun('begun', {}), ended(asked), user, assistant, again],
    {
      inputs: { messages: [{ content: 'hello' }, { content: 'hello', app: { note: 'asked twice' } }] },
      outputs: { messages: [{ content: 'hi' }] },
    },
  ],
  [
    'whole values, events and details',
    [
      begun('begun', { 'input.value': '{"question":"how many"}' }),
      ended({ 'input.value': '{"question":"how often"}', 'output.value': 'so often' }),
      details,
      prompt,
      user,
      choice,
    ],
    {
      inputs: { question: 'how often' },
      outputs: { output: 'so often' },
    },
  ],
  [
    'events of a span',
    [begun('begun', {}), ended({}, { events: [event] }), user, choice, prompt],
    { inputs: { question: 'how much', messages: [{ content: 'an event' }, { content: 'hello' }] } },
  ],
];

/** Sends requests: adjacent messages for one address go together. */
async function send(ids: Free, told: readonly SpanPart[]): Promise<void> {
  const batches: { at: SpanPart['at']; some: Free[] }[] = [];
  for (const { at, said } of told) {
    const last = batches.at(-1);
    if (last?.at === at) last.some.push({ ...ids, ...said });
    else batches.push({ at, some: [{ ...ids, ...said }] });
  }
  for (const { at, some } of batches) {
    const body =
      at === 'traces'
        ? { resourceSpans: [{ scopeSpans: [{ spans: some }] }] }
        : { resourceLogs: [{ scopeLogs: [{ logRecords: some }] }] };
    const answer = await fixture().send(`/v1/${at}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
  }
}

const newIds = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });

async function recordOf({ traceId, spanId }: ReturnType<typeof newIds>): Promise<Free> {
  const run = (await (await fixture().send(`/runs/${runIdOf(spanId)}`)).json()) as Free;
  const { trace_first_received_at: _1, last_queued_at: _2, ...kept } = run;
  const text = JSON.stringify(kept)
    .replaceAll(runIdOf(spanId), '<run>')
    .replaceAll(traceId, '<trace>')
    .replaceAll(spanId, '<span>');
  return JSON.parse(text) as Free;
}

it.each(cases)(
  'when %s come in any order and any batches, then the run is the same',
  async (_what, told, expected) => {
    const ids = newIds();
    await send(ids, told);
    const first = await recordOf(ids);
    expect(first).toMatchObject(expected);
    const order = shuffledSubarray(
      told.map((_, index) => index),
      { minLength: told.length },
    );
    const schedule = tuple(
      order,
      array(nat(told.length - 1), { maxLength: 4 }),
      array(nat(told.length + 3), { maxLength: 6 }),
    ).map(([once, more, cuts]) => {
      const sequence = [...once, ...more];
      const bounds = [
        0,
        ...cuts.filter((cut) => cut < sequence.length).sort((a, b) => a - b),
        sequence.length,
      ];
      return bounds.slice(1).map((end, index) => sequence.slice(bounds[index], end));
    });
    await assert(
      asyncProperty(schedule, async (batches) => {
        const fresh = newIds();
        // A record that one request repeats is another message of the same time.
        for (const batch of batches)
          await send(
            fresh,
            batch.flatMap((at, index) => {
              const part = told[at];
              const isRepeated = part?.at === 'logs' && batch.indexOf(at) < index;
              return part === undefined || isRepeated ? [] : [part];
            }),
          );
        expect(await recordOf(fresh)).toEqual(first);
      }),
      { numRuns: 25 },
    );
  },
);
