import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostEvent } from '@roadstead/contracts/host';
import type { Part, TaskEvent } from '../tasks/task.ts';
import {
  applyHostEvent,
  applyOutcome,
  graphFailure,
  type RunEnding,
  beginProgress,
  mergeChunks,
  squeeze,
  type Progress,
} from './run-rules.ts';

const at = '2026-01-01T00:00:00.000Z';
const start = beginProgress(1, { status: { state: 'working', at } });

function play(
  events: readonly HostEvent[],
  from: Progress = start,
): { progress: Progress; events: TaskEvent[] } {
  let progress = from;
  const told: TaskEvent[] = [];
  for (const event of events) {
    const step = applyHostEvent(progress, { event, at });
    progress = step.progress;
    told.push(...step.events);
  }
  return { progress, events: told };
}

const answer = (id: string, text: string): HostEvent => ({
  kind: 'message',
  message: { id, role: 'assistant', text },
});
const chunk = (message_id: string, text: string): HostEvent => ({ kind: 'chunk', message_id, text });
const success: RunEnding = {
  outcome: 'success',
  interrupts: [],
  output: { done: true },
};

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
  test('what a model streams and no node returns is withdrawn', () => {
    const { progress, events } = play([
      chunk('a', 'Your bill'),
      answer('a', 'Your bill is 3 euros'),
      chunk('c', 'CATEGORY'),
    ]);
    const end = applyOutcome(progress, success, { at, message_id: 'm' });
    expect(end.progress.artifacts.map(({ artifact_id }) => artifact_id)).toEqual(['a']);
    expect(end.progress.status.message?.parts).toEqual([{ kind: 'text', text: 'Your bill is 3 euros' }]);
    const last = [...events, ...end.events].findLast((event) => event.kind === 'artifact');
    expect(last).toMatchObject({ artifact: { artifact_id: 'c' }, append: true, last_chunk: true });
  });

  test('chunks add to one artifact, which the whole message closes', () => {
    const { progress, events } = play([chunk('m', 'Hel'), chunk('m', 'lo'), answer('m', 'Hello!')]);
    expect(events.map((event) => event.kind === 'artifact' && [event.append, event.last_chunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(heard(events).get('m')).toBe('Hello!');
    expect(progress.artifacts).toEqual([{ artifact_id: 'm', parts: [{ kind: 'text', text: 'Hello!' }] }]);
  });

  test('a message that differs from its chunks replaces them', () => {
    expect(heard(play([chunk('m', 'Hullo'), answer('m', 'Hello')]).events).get('m')).toBe('Hello');
  });

  test('a message that calls tools is a working status and no artifact', () => {
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

  test.each([['user'], ['tool'], ['system']] as const)('a %s message says nothing', (role) => {
    expect(play([{ kind: 'message', message: { id: 'm', role, text: 'x' } }]).events).toEqual([]);
  });

  test('the same message again is not reported', () => {
    expect(play([answer('m', 'a'), answer('m', 'a'), chunk('m', 'b')]).events).toHaveLength(1);
  });
});

describe('how a run ends', () => {
  test('completed with the last answer in its status', () => {
    const { progress } = play([answer('one', 'first'), answer('two', 'second')]);
    const end = applyOutcome(progress, success, { at, message_id: 'x' });
    expect(end.progress.status).toMatchObject({
      state: 'completed',
      message: { role: 'agent', parts: [{ kind: 'text', text: 'second' }] },
    });
  });

  test('a graph whose assistant said nothing gives its output as one artifact', () => {
    const end = applyOutcome(start, success, { at, message_id: 'x' });
    expect(end.progress.artifacts).toEqual([
      { artifact_id: 'x', name: 'Output', parts: [{ kind: 'data', data: { done: true } }] },
    ]);
  });

  test.each([
    ['a text', 'Sure?', { kind: 'text', text: 'Sure?' }],
    ['anything else', { ask: 1 }, { kind: 'data', data: { ask: 1 } }],
  ])('an interrupt asks %s', (_name, value, part) => {
    const end = applyOutcome(
      start,
      { outcome: 'success', interrupts: [{ id: 'i', value }], output: null },
      { at, message_id: 'x' },
    );
    expect(end.progress.status).toMatchObject({
      state: 'input-required',
      message: { parts: [part], metadata: { interrupt_id: 'i' } },
    });
  });

  test.each([
    [false, /^The agent failed; the reason is in its log, under run-1\.$/],
    [true, /^The agent failed: no way to postgres:\/\/u:p@db$/],
  ])('an error is a failed task with a sentence (its text shown: %s)', (expose_errors, sentence) => {
    const error = { name: 'E', message: 'no way to postgres://u:p@db' };
    const failure = graphFailure(error, { reference: 'run-1', expose_errors });
    const end = applyOutcome(start, failure, { at, message_id: 'x' });
    expect(end.progress.status).toMatchObject({
      state: 'failed',
      message: { parts: [{ text: expect.stringMatching(sentence) }] },
    });
  });
});

test('sequences rise, and merging neither loses nor reorders a text', () => {
  const event = fc.oneof(
    fc
      .record({ id: fc.constantFrom('a', 'b', 'c'), text: fc.string({ minLength: 1 }) })
      .map(({ id, text }) => chunk(id, text)),
    fc
      .record({ id: fc.constantFrom('a', 'b', 'c'), text: fc.string({ minLength: 1 }) })
      .map(({ id, text }) => answer(id, text)),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const { progress, events: told } = play(events);
      expect(told.map((one) => one.seq)).toEqual(told.map((_, at) => at + 2));
      expect(heard(mergeChunks(told))).toEqual(heard(told));
      const merged = mergeChunks(told).map((one) => one.seq);
      expect(merged).toEqual(merged.toSorted((one, other) => one - other));
      const squeezed = squeeze(told);
      expect(heard(squeezed)).toEqual(heard(told));
      expect(squeezed.at(-1)?.seq).toBe(told.at(-1)?.seq);
      expect(squeezed.length).toBeLessThanOrEqual(3);
      for (const artifact of progress.artifacts)
        expect(heard(told).get(artifact.artifact_id)).toBe(
          artifact.parts.map((part) => part.kind === 'text' && part.text).join(''),
        );
    }),
  );
});
