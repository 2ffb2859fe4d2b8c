import { expect, test } from 'vitest';
import type { Part, Task, TaskEvent } from '../tasks/task.ts';
import { checkModes, tailorOf } from './output-modes.ts';

const text = (value: string): Part => ({ kind: 'text', text: value });
const data = (value: unknown): Part => ({ kind: 'data', data: value });
const picture: Part = { kind: 'file', file: { bytes: 'aGk=' }, media_type: 'image/png', name: 'a.png' };

const answered = (...parts: Part[]): Task => ({
  id: 't',
  context_id: 'c',
  assistant_id: 'x',
  status: { state: 'completed', at: '', message: { message_id: 'a', role: 'agent', parts } },
  history: [],
  artifacts: [{ artifact_id: 'a', parts }],
  seq: 1,
});

test('when a client accepts a media type, then it counts whether the graph can produce it', () => {
  const canProduce = (accepted: string[] | undefined, ...produced: string[]) => {
    const card = produced.length === 0 ? undefined : { defaultOutputModes: produced };
    const message = { message_id: 'm', role: 'user' as const, parts: [] };
    try {
      checkModes({ graph: { card }, words: {} }, { message, accepted });
      return true;
    } catch {
      return false;
    }
  };
  const yes = [undefined, [], ['text/plain'], ['text'], ['*/*'], ['image/png', 'Application/JSON']];
  expect(yes.map((accepted) => canProduce(accepted))).toEqual(yes.map(() => true));
  expect(canProduce(['text/plain; charset=utf-8'])).toBe(true);
  const no = [['image/png'], ['audio/*', 'video/mp4'], ['']];
  expect(no.map((accepted) => canProduce(accepted))).toEqual(no.map(() => false));
  expect(canProduce(['text/plain'], 'text/html')).toBe(true);
  expect(canProduce(['image/*'], 'image/png')).toBe(true);
  expect(canProduce(['image/png'], 'image/*')).toBe(true);
  expect(canProduce(['text/plain'], 'image/png')).toBe(false);
});

test.for<[string, string[] | undefined, Part[], Part[]]>([
  ['nothing named', undefined, [text('hi'), picture], [text('hi'), picture]],
  ['everything', ['*/*'], [text('hi'), data(1), picture], [text('hi'), data(1), picture]],
  ['text', ['text/plain'], [text('hi'), data({ a: 1 }), picture], [text('hi'), text('{"a":1}')]],
  ['JSON', ['application/json'], [text('hi'), data({ a: 1 }), picture], [data('hi'), data({ a: 1 })]],
  ['pictures', ['image/*'], [text('hi'), data(1), picture], [picture]],
  ['plain text of HTML', ['text/plain'], [{ ...text('<p>'), media_type: 'text/html' }], [text('<p>')]],
  [
    'HTML',
    ['text/html'],
    [{ ...text('<p>'), media_type: 'text/html' }, text('hi')],
    [{ ...text('<p>'), media_type: 'text/html' }],
  ],
])('when a client accepts %s, then the answer is tailored to it', ([, accepted, parts, left]) => {
  const task = tailorOf({ accepted: accepted, a2ui: true }).task(answered(...parts));
  expect(task.artifacts[0]?.parts).toEqual(left);
  expect(task.status.message?.parts).toEqual(left);
});

test('when nothing is left of an artifact, then it goes, but what a person must know stays', () => {
  const tailor = tailorOf({ accepted: ['image/png'], a2ui: true });
  const { artifacts, status } = tailor.task(answered(text('hi')));
  expect([artifacts, status]).toEqual([[], { state: 'completed', at: '' }]);
  const failed = {
    ...answered(text('It failed.')),
    status: { ...answered(text('It failed.')).status, state: 'failed' as const },
  };
  expect(tailor.task(failed).status).toEqual(failed.status);
});

test('when text in pieces must be JSON, then it comes whole', () => {
  const piece = (seq: number, said: string, more: { append: boolean; last_chunk: boolean }): TaskEvent => ({
    seq,
    kind: 'artifact',
    artifact: { artifact_id: 'a', parts: [text(said)] },
    ...more,
  });
  const events = [
    piece(2, ', ', { append: true, last_chunk: false }),
    piece(3, 'Ada', { append: true, last_chunk: true }),
  ];
  const tailor = tailorOf({ accepted: ['application/json'], a2ui: true });
  const begun = tailor.task(answered(text('Hello')));
  expect(begun.artifacts[0]?.parts).toEqual([data('Hello')]);
  expect(events.flatMap((event) => tailor.event(event) ?? [])).toEqual([
    {
      seq: 3,
      kind: 'artifact',
      artifact: { artifact_id: 'a', parts: [data('Hello, Ada')] },
      append: false,
      last_chunk: true,
    },
  ]);
  const plain = tailorOf({ accepted: ['text/plain'], a2ui: true });
  plain.task(answered(text('Hello')));
  expect(events.map((event) => plain.event(event))).toEqual(events);
});

const screen: Part = { kind: 'data', data: { createSurface: {} }, media_type: 'application/a2ui+json' };

test.each([
  ['text and an interface', [text('hi'), screen], [text('hi')]],
  ['an interface alone', [screen], undefined],
])('when no interfaces are sent, then a task and its events show none: %s', (_, parts, left) => {
  const said = { message_id: 'a', role: 'agent', parts } as const;
  const shown = left && { ...said, parts: left };
  const own = { message_id: 'm', role: 'user', parts: [screen] } as const;
  const states = ['working', 'input-required', 'auth-required', 'completed', 'failed'] as const;
  for (const accepted of [undefined, ['*/*']])
    for (const state of states) {
      const tailor = tailorOf({ accepted, a2ui: false });
      const status = { state, at: '', message: said };
      const task = tailor.task({ ...answered(...parts), status, history: [own, said] });
      // What a client said itself stays.
      expect(task.history).toEqual([own, ...(shown === undefined ? [] : [shown])]);
      expect(task.status.message?.parts).toEqual(left);
      const event = tailor.event({ seq: 2, kind: 'status', status });
      expect(event).toMatchObject({ seq: 2, status: task.status });
      const artifact = { artifact_id: 'a', parts };
      const piece = tailor.event({ seq: 3, kind: 'artifact', artifact, append: false, last_chunk: true });
      expect(JSON.stringify([task.artifacts, piece])).not.toContain('createSurface');
    }
});
