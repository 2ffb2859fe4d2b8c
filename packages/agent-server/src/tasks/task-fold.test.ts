import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostEvent } from '@roadstead/contracts/host';
import { mergeChunks, squeeze } from '../run-log/event-rules.ts';
import type { RunEnd, RunEvent, RunReport } from '../runs/run.ts';
import { applyEvents, beginProgress, type Change } from './task-fold.ts';
import type { Part, TaskEvent } from './task.ts';

const at = '2026-01-01T00:00:00.000Z';
const start = beginProgress({
  id: 'task',
  context_id: 'context',
  assistant_id: 'assistant',
  status: { state: 'working', at },
  history: [],
  artifacts: [],
  seq: 1,
});

/** As an engine numbers them. */
const told = (reports: readonly RunReport[]): RunEvent[] =>
  reports.map((report, index) => ({ seq: 5 + 4 * index, at, ...report }));
const play = (reports: readonly RunReport[], from = start): Change => applyEvents(from, told(reports));

const answer = (id: string, text: string): HostEvent => ({
  kind: 'message',
  message: { id, role: 'assistant', text },
});
const chunk = (message_id: string, text: string): HostEvent => ({ kind: 'chunk', message_id, text });
const end = (more: Partial<RunEnd> = {}): RunReport => ({
  kind: 'end',
  status: 'success',
  interrupts: [],
  output: { done: true },
  ...more,
});

/** What a client has after reading a stream: the text of each artifact. */
function heard(events: readonly TaskEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== 'artifact') continue;
    const { artifact_id, parts } = event.artifact;
    const piece = parts
      .map((part: Part) => (part.kind === 'text' ? part.text : JSON.stringify('data' in part && part.data)))
      .join('');
    texts.set(artifact_id, event.append ? (texts.get(artifact_id) ?? '') + piece : piece);
  }
  return texts;
}

describe('which events are the answer', () => {
  test('when a model streams what no node returns, then it is withdrawn', () => {
    const { progress, events } = play([
      chunk('a', 'Your bill'),
      answer('a', 'Your bill is 3 euros'),
      chunk('c', 'CATEGORY'),
      end(),
    ]);
    expect(progress.artifacts.map(({ artifact_id }) => artifact_id)).toEqual(['a']);
    expect(progress.status.message?.parts).toEqual([{ kind: 'text', text: 'Your bill is 3 euros' }]);
    const last = events.findLast((event) => event.kind === 'artifact');
    expect(last).toMatchObject({ artifact: { artifact_id: 'c' }, append: true, last_chunk: true });
  });

  test('when chunks come, then they add to one artifact, which the whole message closes', () => {
    const { progress, events } = play([chunk('m', 'Hel'), chunk('m', 'lo'), answer('m', 'Hello!')]);
    expect(events.map((event) => event.kind === 'artifact' && [event.append, event.last_chunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(heard(events).get('m')).toBe('Hello!');
    expect(progress.artifacts).toEqual([{ artifact_id: 'm', parts: [{ kind: 'text', text: 'Hello!' }] }]);
  });

  test('when a message differs from its chunks, then it replaces them', () => {
    expect(heard(play([chunk('m', 'Hullo'), answer('m', 'Hello')]).events).get('m')).toBe('Hello');
  });

  test('when a message calls tools, then it is a working status and no artifact', () => {
    const call: HostEvent = {
      kind: 'message',
      message: {
        id: 'm',
        role: 'assistant',
        text: 'Let me see',
        tool_calls: [{ id: 'c', name: 'look', args: { at: 1 } }],
      },
    };
    const { progress, events } = play([chunk('m', 'Let me'), call]);
    expect(progress.artifacts).toEqual([]);
    // What a stream had shown of it is closed.
    expect(events.at(-2)).toMatchObject({
      kind: 'artifact',
      artifact: { artifact_id: 'm' },
      last_chunk: true,
    });
    expect(events.at(-1)).toMatchObject({
      kind: 'status',
      status: {
        state: 'working',
        message: { parts: [{ kind: 'text', text: 'Let me see' }, { kind: 'data' }] },
      },
    });
  });

  test('when a message has a file, then all its parts are one artifact, even of a streamed message', () => {
    const file = { kind: 'file', file: { bytes: 'iVBO' }, media_type: 'image/png' } as const;
    const parts = [{ kind: 'text', text: 'Here' }, file] as const;
    const message = { id: 'm', role: 'assistant', text: 'Here', parts } as const;
    const { progress, events } = play([chunk('m', 'He'), { kind: 'message', message }]);
    expect(progress.artifacts).toEqual([{ artifact_id: 'm', parts }]);
    expect(events.at(-1)).toMatchObject({ artifact: { parts }, append: false, last_chunk: true });
    const only = { ...message, id: 'n', text: '', parts: [file] };
    expect(play([{ kind: 'message', message: only }]).progress.artifacts).toEqual([
      { artifact_id: 'n', parts: [file] },
    ]);
  });

  test.each([['user'], ['tool'], ['system']] as const)(
    'when a %s message comes, then it says nothing',
    (role) => {
      expect(play([{ kind: 'message', message: { id: 'm', role, text: 'x' } }]).events).toEqual([]);
    },
  );

  test('when the same message comes again, then it is not reported', () => {
    expect(play([answer('m', 'a'), answer('m', 'a'), chunk('m', 'b')]).events).toHaveLength(1);
  });
});

describe('how a run ends', () => {
  test('when a run ends well, then its task is completed, with the last answer in its status', () => {
    const { progress } = play([answer('one', 'first'), answer('two', 'second'), end()]);
    expect(progress.status).toMatchObject({
      state: 'completed',
      message: { role: 'agent', parts: [{ kind: 'text', text: 'second' }] },
    });
  });

  test('when a graph’s assistant said nothing, then its output is one artifact', () => {
    expect(play([end()]).progress.artifacts).toMatchObject([
      { name: 'Output', parts: [{ kind: 'data', data: { done: true } }] },
    ]);
  });

  test.each([
    ['a text', 'Sure?', { kind: 'text', text: 'Sure?' }],
    ['anything else', { ask: 1 }, { kind: 'data', data: { ask: 1 } }],
  ])('when an interrupt asks %s, then the question is in the history', (_name, value, part) => {
    const { progress } = play([end({ interrupts: [{ id: 'i', value }] })]);
    expect(progress.status).toMatchObject({
      state: 'input-required',
      message: { parts: [part], metadata: { interrupt_id: 'i' } },
    });
    expect(progress.history).toEqual([progress.status.message]);
  });

  test.each([
    ['words', { a2a: 'credentials', message: 'Sign in.' }, [{ kind: 'text', text: 'Sign in.' }]],
    [
      'words and data',
      { a2a: 'credentials', message: 'Sign in.', at: 'bank' },
      [
        { kind: 'text', text: 'Sign in.' },
        { kind: 'data', data: { at: 'bank' } },
      ],
    ],
    ['data', { a2a: 'credentials', at: 'bank' }, [{ kind: 'data', data: { at: 'bank' } }]],
  ])('when an interrupt wants credentials, then it tells %s', (_name, value, parts) => {
    const { progress } = play([end({ interrupts: [{ id: 'i', value, wants: 'credentials' }] })]);
    expect(progress.status).toMatchObject({ state: 'auth-required', message: { parts } });
  });

  test.each([
    [end({ status: 'error', error: { name: 'E', message: 'It broke.' } }), 'failed', 'It broke.'],
    [end({ status: 'timeout', reason: 'It took too long.' }), 'failed', 'It took too long.'],
    [
      end({ status: 'interrupted', reason: 'Its client cancelled it.' }),
      'canceled',
      'Its client cancelled it.',
    ],
    [
      end({ status: 'error', error: { name: 'R', message: 'Not now.', state: 'rejected' } }),
      'rejected',
      'Not now.',
    ],
  ])('when a run ends with %j, then its task is %s', (report, state, sentence) => {
    expect(play([report]).progress.status).toMatchObject({ state, message: { parts: [{ text: sentence }] } });
  });
});

test('when a run says nothing of its beginning, then it is working before it ends', () => {
  const { events } = play([end()], { ...start, status: { state: 'submitted', at } });
  expect(events.map((event) => event.kind === 'status' && event.status.state)).toEqual([
    'working',
    false,
    'completed',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([3, 4, 5]);
});

test('when a new attempt begins, then it withdraws what the last began and keeps older answers', () => {
  const before = beginProgress({
    ...start,
    artifacts: [{ artifact_id: 'old', parts: [{ kind: 'text', text: 'kept' }] }],
  });
  const { progress } = play(
    [chunk('m', 'half'), { kind: 'started', attempt: 2 }, answer('n', 'whole'), end()],
    before,
  );
  expect(progress.artifacts.map(({ artifact_id }) => artifact_id)).toEqual(['old', 'n']);
});

test('when events are merged, squeezed or read in two parts, then they mean the same', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const text = fc.string({ minLength: 1 });
  const report = fc.oneof(
    fc.record({ id, text }).map((one) => chunk(one.id, one.text)),
    fc.record({ id, text }).map((one) => answer(one.id, one.text)),
  );
  fc.assert(
    fc.property(fc.array(report, { maxLength: 40 }), fc.nat(40), (reports, cut) => {
      const all = told([...reports, end()]);
      const { progress, events } = applyEvents(start, all);
      const numbers = events.map(({ seq }) => seq);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      for (const fewer of [mergeChunks(all), squeeze(all)]) {
        const same = applyEvents(start, fewer);
        expect(heard(same.events)).toEqual(heard(events));
        expect(same.progress.artifacts).toEqual(progress.artifacts);
        expect(same.progress.seq).toBe(progress.seq);
      }
      const first = applyEvents(start, all.slice(0, cut)).progress;
      // What is read twice means nothing the second time.
      expect(applyEvents(first, all).progress).toEqual(progress);
    }),
  );
});
