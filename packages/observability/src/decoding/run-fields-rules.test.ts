import { describe, expect, it } from 'vitest';
import { Faults } from './faults.ts';
import { previewOf } from './preview-rules.ts';
import { runOperationOf, type SentPayload } from './run-fields-rules.ts';
import type { PayloadKind, RunFields } from '../records/run-operation.ts';
import { usageOf } from './usage-rules.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const payload = (value: unknown): SentPayload => ({ json: bytes(value), value });
const RUN = '018f0000-0000-7000-8000-000000000001';
const OTHER = '018f0000-0000-7000-8000-000000000002';

function fieldsOf(
  main: Record<string, unknown>,
  values: Partial<Record<PayloadKind, unknown>> = {},
  faults = new Faults(),
): RunFields {
  const payloads = Object.fromEntries(Object.entries(values).map(([kind, value]) => [kind, payload(value)]));
  return runOperationOf({ at: 'post', verb: 'post', run_id: RUN, main, payloads }, faults).fields;
}

describe('fields', () => {
  it.each<[string, Record<string, unknown>, RunFields]>([
    ['nothing', {}, {}],
    ['nulls', { name: null, end_time: null, tags: null, session_name: '' }, {}],
    ['ids in lower case', { trace_id: RUN.toUpperCase() }, { trace_id: RUN }],
    [
      'the trace of a run with a parent',
      { trace_id: OTHER, parent_run_id: OTHER },
      { trace_id: OTHER, parent_run_id: OTHER },
    ],
    [
      'the trace of a run whose order has a parent',
      { trace_id: OTHER, dotted_order: `x${OTHER}.y${RUN}` },
      { trace_id: OTHER, dotted_order: `x${OTHER}.y${RUN}` },
    ],
    [
      'times',
      { start_time: '2026-01-05T10:20:30Z', end_time: 1_767_608_431_250 },
      { start_time: '2026-01-05T10:20:30.000000+00:00', end_time: '2026-01-05T10:20:31.250000+00:00' },
    ],
    [
      'text that Postgres takes',
      { name: 'a\0\ud800', tags: ['x\0', 'y'] },
      { name: 'a\ufffd\ufffd', tags: ['x\ufffd', 'y'] },
    ],
    [
      'an agent’s environment in place of a project',
      { address: 'lrn:agents/support/environments/Production' },
      { session: { id: undefined, name: 'support/production' } },
    ],
    ['a project', { session_name: 'p', session_id: RUN }, { session: { id: RUN, name: 'p' } }],
  ])('when a run’s fields say %s, then that is read', (_name, main, expected) => {
    expect(fieldsOf(main)).toEqual(expected);
  });

  it.each<[Record<string, unknown>, string, RunFields]>([
    [{ trace_id: 7 }, 'post.trace_id', {}],
    [{ parent_run_id: 'x' }, 'post.parent_run_id', {}],
    [{ name: 7 }, 'post.name', {}],
    [{ tags: 'x' }, 'post.tags', {}],
    [{ tags: ['x', 3] }, 'post.tags', { tags: ['x'] }],
    [{ dotted_order: 'a b' }, 'post.dotted_order', {}],
    [{ dotted_order: 'a'.repeat(1_500_001) }, 'post.dotted_order', {}],
    [{ trace_id: OTHER }, 'post.trace_id', { trace_id: RUN }],
    [
      { trace_id: OTHER, dotted_order: `x${RUN}` },
      'post.trace_id',
      { trace_id: RUN, dotted_order: `x${RUN}` },
    ],
    [{ start_time: 'x' }, 'post.start_time', {}],
    [{ end_time: '' }, 'post.end_time', {}],
    [{ end_time: 1e300 }, 'post.end_time', {}],
    [{ run_type: 'agent' }, 'post.run_type', {}],
    [{ address: 'somewhere' }, 'post.address', {}],
  ])('when something is wrong in %j, then it is left out and noted', (main, at, expected) => {
    const faults = new Faults();
    expect(fieldsOf({ ...main, reference_example_id: RUN }, {}, faults)).toEqual({
      reference_example_id: RUN,
      ...expected,
    });
    expect(faults.issues).toEqual([expect.objectContaining({ loc: [at] })]);
  });

  it.each<[unknown, string | undefined]>([
    [{ thread_id: 'a', session_id: 'b', conversation_id: 'c' }, 'b'],
    [{ thread_id: 'a', conversation_id: 'c' }, 'a'],
    [{ conversation_id: 'c' }, 'c'],
    [{ thread_id: '', session_id: 7 }, '7'],
    [{ thread_id: {} }, undefined],
    [undefined, undefined],
    [{ thread_id: 'x'.repeat(600) }, 'x'.repeat(512)],
  ])('when the metadata is of case %#, then the conversation is taken from it', (metadata, thread_id) => {
    expect(fieldsOf({}, { extra: { metadata } }).thread_id).toBe(thread_id);
  });

  it('when events hold the first token, then its time is taken from them', () => {
    const events = [
      { name: 'start', time: '2026-01-05T10:20:30Z' },
      { name: 'new_token', time: '2026-01-05T10:20:31+01:00' },
    ];
    expect(fieldsOf({}, { events }).first_token_time).toBe('2026-01-05T09:20:31.000000+00:00');
  });

  it('when a payload is null, then it is not kept; an empty error has no preview', () => {
    const sent = { at: 'post', verb: 'post', run_id: RUN, main: {} } as const;
    const { payloads, fields } = runOperationOf(
      {
        ...sent,
        payloads: { outputs: payload(null), error: payload('') },
      },
      new Faults(),
    );
    expect(Object.keys(payloads)).toEqual(['error']);
    expect(fields).toEqual({});
  });
});

describe('previews', () => {
  it.each<[unknown, string]>([
    ['text', 'text'],
    [{ question: 'why?' }, 'why?'],
    [{ a: 1, b: 2 }, '{"a":1,"b":2}'],
    [
      {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'ho' },
        ],
      },
      'ho',
    ],
    [{ messages: [[{ lc: 1, kwargs: { content: 'deep' } }]] }, 'deep'],
    [{ messages: [['human', 'pair']] }, 'pair'],
    [
      {
        messages: [
          { content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] },
        ],
      },
      'a\nb',
    ],
    [{ generations: [[{ text: 'said', message: {} }]] }, 'said'],
    [{ generations: [[{ text: '', message: { kwargs: { content: 'said' } } }]] }, 'said'],
    [{ messages: [{ role: 'user', parts: [{ type: 'text', content: 'said' }] }] }, 'said'],
    [{ messages: [{ role: 'model', parts: [{ text: 'said' }, { text: 'more' }] }] }, 'said\nmore'],
    [
      { messages: [{ role: 'user', parts: [{ type: 'tool_call_response', id: 'c', response: 'said' }] }] },
      'said',
    ],
    [{ messages: [{ role: 'tool', parts: [{ type: 'tool_call_response', result: { a: 1 } }] }] }, '{"a":1}'],
    [
      {
        messages: [
          {
            role: 'assistant',
            parts: [
              { type: 'reasoning', content: 'hm' },
              { type: 'text', content: 'said' },
            ],
          },
        ],
      },
      'said',
    ],
    [{ input: [{ role: 'user', content: [{ type: 'text', text: 'said' }] }] }, 'said'],
    [
      {
        input: [
          { role: 'tool', content: [{ type: 'tool-result', output: { type: 'json', value: { a: 1 } } }] },
        ],
      },
      '{"a":1}',
    ],
    [{ output: [1] }, '{"output":[1]}'],
    [{ messages: [] }, '{"messages":[]}'],
    [[1], '[1]'],
    [{ text: 'x'.repeat(400) }, 'x'.repeat(300)],
  ])('when %j is sent, then the right one is read from it', (value, expected) => {
    expect(previewOf(value, bytes(value))).toBe(expected);
  });
});

describe('usage', () => {
  const of = (prompt_tokens: number, completion_tokens: number, total_tokens: number) => ({
    prompt_tokens,
    completion_tokens,
    total_tokens,
  });
  it.each<[object, object | undefined]>([
    [{ outputs: { usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } } }, of(1, 2, 3)],
    [{ outputs: { usage_metadata: { input_tokens: 1, output_tokens: 2 } } }, of(1, 2, 3)],
    [{ extra: { metadata: { usage_metadata: { input_tokens: 4 } } } }, of(4, 0, 4)],
    [
      {
        outputs: {
          generations: [
            [{ message: { kwargs: { usage_metadata: { input_tokens: 1, output_tokens: 1 } } } }],
            [{ message: { usage_metadata: { input_tokens: 2, output_tokens: 2 } } }],
          ],
        },
      },
      of(3, 3, 6),
    ],
    [
      { outputs: { llmOutput: { tokenUsage: { promptTokens: 5, completionTokens: 6, totalTokens: 11 } } } },
      of(5, 6, 11),
    ],
    [
      {
        outputs: {
          llm_output: { token_usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 } },
        },
      },
      of(5, 6, 11),
    ],
    [{ outputs: { usage_metadata: { input_tokens: -1, output_tokens: 'x' } } }, undefined],
    [{ outputs: { usage_metadata: { input_tokens: 2 ** 52, output_tokens: 2 } } }, of(0, 2, 2)],
    [{ outputs: 'text', extra: null }, undefined],
    [
      { outputs: { usage_metadata: { input_tokens: 41, output_tokens: 5, total_tokens: 389 } } },
      of(41, 348, 389),
    ],
    [
      {
        outputs: {
          generations: [
            [{ message: { usage_metadata: { input_tokens: 41, output_tokens: 5, total_tokens: 389 } } }],
          ],
        },
      },
      of(41, 348, 389),
    ],
    [
      {
        outputs: {
          llm_output: { token_usage: { prompt_tokens: 41, completion_tokens: 5, total_tokens: 389 } },
        },
      },
      of(41, 348, 389),
    ],
    [{}, undefined],
  ])('when %j is sent, then the right one is read from it', (payloads, expected) => {
    const usage = usageOf(payloads);
    expect(usage && of(usage.prompt_tokens, usage.completion_tokens, usage.total_tokens)).toEqual(expected);
  });

  it('when costs are read, then they are kept as decimal text', () => {
    const usage = usageOf({
      outputs: { usage_metadata: { input_tokens: 1, input_cost: 1e-7, output_cost: '0.25' } },
    });
    expect(usage).toMatchObject({
      prompt_cost: '0.0000001',
      completion_cost: '0.25',
      total_cost: '0.2500001',
    });
  });
});
