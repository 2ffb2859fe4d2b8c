import { TimeSlice } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import type { RunRow } from '../records/run-row.ts';
import { searchEntryOf } from '../search/search-entry.ts';
import { conditionOf } from './filter-conditions.ts';
import { passes } from './filter-evaluator.ts';
import { parseFilter } from './filter-parser.ts';
import { runFields } from './run-fields.ts';
import { type FeedbackSides, runSubject } from './run-subject.ts';

const RUN = '0199d3a0-0000-7000-8000-000000000001';
const row: RunRow = {
  workspace_id: '11111111-1111-4111-8111-111111111111',
  run_id: RUN,
  tier: 'shortlived',
  week: '2026-01-05',
  trace_id: RUN,
  parent_run_id: null,
  dotted_order: `20260105T000000000000Z${RUN}`,
  name: 'router',
  run_type: 'llm',
  start_time: '2026-01-05T00:00:00.000000+00:00',
  end_time: '2026-01-05T00:00:03.500000+00:00',
  first_token_time: null,
  session_id: '0199d3a0-0000-7000-8000-00000000000b',
  thread_id: 'a"b',
  reference_example_id: null,
  is_root: true,
  has_error: false,
  tags: ['blue', '2aa1cf4'],
  inputs_preview: null,
  outputs_preview: null,
  error_preview: null,
  prompt_tokens: 3,
  completion_tokens: 4,
  total_tokens: 7,
  prompt_cost: '0.5',
  completion_cost: null,
  total_cost: '0.5',
  patched: 0,
  prompt_token_details: null,
  completion_token_details: null,
  prompt_cost_details: null,
  completion_cost_details: null,
  price_model_id: null,
  within_call: false,
  model: null,
  own: 0,
};
const payloads = {
  extra: { metadata: { tenant: 'acme', region: 'eu', n: 42, deep: { flag: true } } },
  inputs: { documents: [{ page_content: 'please refund me' }, { page_content: 'other' }], invoice: 42 },
  outputs: { messages: [{ content: 'I am sorry', tool_calls: [{ name: 'search_web' }] }] },
};
const feedback: FeedbackSides[] = [
  { key: 'stars', score: 4, value: null, source: 'app', comment: null },
  { key: 'correct', score: 0.5, value: 'half', source: 'model', comment: 'so so' },
];

async function finds(text: string): Promise<boolean> {
  const texts = Object.entries(payloads).map(([kind, value]) => [kind, Buffer.from(JSON.stringify(value))]);
  const entry = await searchEntryOf({ row, payloads: Object.fromEntries(texts) }, new TimeSlice());
  const subject = runSubject({ row, entry, totals: undefined, execution_order: 1, feedback });
  return passes(conditionOf(parseFilter(text, { parameter: 'filter', fields: runFields })), subject);
}

describe('key and value in the same and() speak of one pair', () => {
  test.each([
    ['eq(metadata_key, "tenant")', true],
    ['eq(metadata_key, "other")', false],
    ['and(eq(metadata_key, "tenant"), eq(metadata_value, "acme"))', true],
    ['and(eq(metadata_value, "acme"), eq(metadata_key, "tenant"))', true],
    ['and(eq(metadata_key, "tenant"), eq(metadata_value, "eu"))', false],
    ['and(eq(metadata_key, "tenant"), neq(metadata_value, "eu"))', true],
    ['and(eq(metadata_key, "tenant"), neq(metadata_value, "acme"))', false],
    ['and(eq(metadata_key, "none"), neq(metadata_value, "acme"))', false],
    ['neq(metadata_key, "tenant")', false],
    ['neq(metadata_key, "none")', true],
    ['neq(metadata_value, "acme")', false],
    ['neq(metadata_value, "none")', true],
    ['and(neq(metadata_key, "none"), neq(metadata_value, "none"))', true],
    ['and(neq(metadata_key, "none"), neq(metadata_value, "acme"))', false],
    ['and(neq(metadata_key, "tenant"), neq(metadata_value, "none"))', false],
    ['and(neq(metadata_key, "none"), eq(metadata_value, "acme"))', true],
    ['and(neq(metadata_key, "region"), eq(metadata_value, "acme"))', false],
    ['and(in(metadata_key, ["x", "region"]), eq(metadata_value, "eu"))', true],
    ['and(in(metadata_key, ["x", "tenant"]), eq(metadata_value, "eu"))', false],
    ['and(eq(metadata_key, "tenant"), and(eq(metadata_value, "eu")))', true],
    ['and(eq(metadata_key, "tenant"), not(eq(metadata_value, "acme")))', false],
    ['not(and(eq(metadata_key, "tenant"), eq(metadata_value, "acme")))', false],
    [
      'and(eq(metadata_key, "tenant"), eq(metadata_value, "acme"), eq(metadata_key, "region"), eq(metadata_value, "eu"))',
      true,
    ],
    ['and(eq(metadata_key, "tenant"), eq(metadata_key, "region"), eq(metadata_value, "acme"))', false],
    ['or(eq(metadata_key, "none"), eq(metadata_value, "eu"))', true],
    ['and(eq(feedback_key, "stars"), gt(feedback_score, 3))', true],
    ['and(eq(feedback_key, "correct"), gt(feedback_score, 3))', false],
    ['and(eq(feedback_key, "correct"), gt(feedback_score, 0), lte(feedback_score, 0.5))', true],
    ['and(eq(feedback_key, "correct"), eq(feedback_value, "half"), eq(feedback_source, "model"))', true],
    ['and(eq(feedback_key, "stars"), eq(feedback_value, null))', true],
    ['neq(feedback_key, "stars")', false],
    ['and(eq(input_key, "documents.page_content"), like(input_value, "%refund%"))', true],
    ['and(eq(input_key, "documents.page_content"), eq(input_value, "42"))', false],
    ['and(eq(output_key, "messages.tool_calls.name"), eq(output_value, "search_web"))', true],
    ['and(eq(metadata_key, "n"), gt(metadata_value, 41))', true],
    ['and(eq(metadata_key, "n"), gt(metadata_value, 42))', false],
    ['and(eq(metadata_key, "tenant"), gt(metadata_value, 1))', false],
  ])('when the filter is %s, then whether the run passes is %s', async (text, found) => {
    expect(await finds(text)).toBe(found);
  });
});

describe('every kind of field', () => {
  test.each([
    ['eq(name, "router")', true],
    ['like(name, "rout%")', true],
    ['notlike(name, "_outer")', false],
    ['like(name, "rou.*")', false],
    ['gt(latency, "3s")', true],
    ['lt(latency, 0.25)', false],
    ['eq(status, "success")', true],
    ['eq(error, null)', true],
    ['neq(error, null)', false],
    ['has(tags, "2aa1cf4")', true],
    ['in(tags, ["green", "blue"])', true],
    ['not(has(tags, "green"))', true],
    ['eq(thread_id, "a\\"b")', true],
    ['and(eq(metadata_key, "ls_run_depth"), eq(metadata_value, 0))', true],
    ['exists(metadata, "deep")', true],
    ['exists(metadata, "deep.flag")', true],
    ['exists(metadata, "flag")', false],
    [`has(metadata, '{"deep": {"flag": true}, "n": 42}')`, true],
    [`has(metadata, '{"deep": {}}')`, true],
    [`has(metadata, '{"tenant": "acme", "n": 43}')`, false],
    ['eq(extra.metadata.tenant, "acme")', true],
    ['eq(metadata.none, null)', true],
    ['neq(metadata.tenant, null)', true],
    ['like(outputs, "%am sorry%")', true],
    ['notlike(outputs, "%I am sorry%")', false],
    ['search("refund PLEASE")', true],
    ['search("invoice")', false],
    ['search(inputs, "refund")', true],
    ['search(outputs, "refund")', false],
    ['search(name, "rou")', true],
    ['gte(total_tokens, 7)', true],
    ['eq(total_cost, 0.5)', true],
    ['gt(completion_cost, 0)', false],
    ['and(gt(start_time, "2026-01-04T23:59:59Z"), lt(start_time, "2026-01-05T00:00:00.000001Z"))', true],
    ['eq(is_root, true)', true],
    [`eq(id, "${RUN.toUpperCase()}")`, true],
    ['eq(execution_order, 1)', true],
    ['eq(parent_run_id, null)', true],
  ])('when the filter is %s, then whether the run passes is %s', async (text, found) => {
    expect(await finds(text)).toBe(found);
  });
});
