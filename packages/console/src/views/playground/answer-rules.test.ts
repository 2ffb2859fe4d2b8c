import { expect, test } from 'vitest';
import { begun, withEvent } from './answer-rules.ts';

const after = (...events: readonly (readonly [event: string, data: object])[]) =>
  events.reduce((answer, [event, data]) => withEvent(answer, { event, data: { ...data } }), begun);

test('when pieces come, then they are put together', () => {
  const answer = after(
    ['start', { run_id: 'r' }],
    ['reasoning', { text: 'Hm' }],
    ['text', { text: 'a' }],
    ['text', { text: 'b' }],
    ['tool_call', { index: 0, id: 'c', name: 'weather', arguments: '{"ci' }],
    ['tool_call', { index: 0, arguments: 'ty":1}' }],
    ['usage', { input_tokens: 1, output_tokens: 2, total_tokens: 3 }],
    ['finish', { reason: 'stop' }],
    ['news', { text: 'unknown' }],
    ['end', { run_id: 'r', latency_ms: 5, first_token_ms: 2, not_traced: null }],
  );
  expect(answer).toEqual({
    status: 'done',
    text: 'ab',
    reasoning: 'Hm',
    calls: [{ index: 0, id: 'c', name: 'weather', arguments: '{"city":1}' }],
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    run_id: 'r',
    fault: undefined,
    finish_reason: 'stop',
    latency_ms: 5,
    first_token_ms: 2,
    not_traced: undefined,
  });
});

test.each([
  [{ status: 401, message: 'No such key.' }, 'The provider answered 401: No such key.'],
  [
    { status: null, message: 'It broke off.', may_pass: true },
    'It broke off. It may pass: try again in a moment.',
  ],
])('when a provider fails with %j, then a sentence says so to the end', (said, fault) => {
  expect(after(['error', said], ['end', {}])).toMatchObject({ status: 'failed', fault });
});
