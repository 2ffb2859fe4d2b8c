import { expect, test } from 'vitest';
import { readTask, refusalIn } from './agent-task-codec.ts';

const task = (state: string, more: object = {}, message?: object) => ({
  result: { kind: 'task', id: 't', contextId: 'c', status: { state, ...(message && { message }) }, ...more },
});
const text = (...texts: string[]) => ({ parts: texts.map((one) => ({ kind: 'text', text: one })) });
const data = (value: object, more: object = {}) => ({ parts: [{ kind: 'data', data: value, ...more }] });
const ids = { task_id: 't', context_id: 'c' };

test.each([
  [
    'text in pieces',
    task('completed', { artifacts: [text('Hel', 'lo')] }),
    { ...ids, state: 'completed', text: 'Hello' },
  ],
  [
    'several artifacts',
    task('completed', { artifacts: [text('a'), text('b')] }),
    { ...ids, state: 'completed', text: 'a\nb' },
  ],
  [
    'data',
    task('completed', { artifacts: [data({ n: 1 })] }),
    { ...ids, state: 'completed', text: '', data: { n: 1 } },
  ],
  [
    'several data',
    task('completed', { artifacts: [data({ n: 1 }), data({ m: 2 })] }),
    { ...ids, state: 'completed', text: '', data: [{ n: 1 }, { m: 2 }] },
  ],
  [
    'data that is no object',
    task('completed', { artifacts: [data({ value: [1] }, { metadata: { data_part_compat: true } })] }),
    { ...ids, state: 'completed', text: '', data: [1] },
  ],
  [
    'a question after an answer',
    task('input-required', { artifacts: [text('so far')] }, text('Which?')),
    { ...ids, state: 'input-required', text: 'Which?' },
  ],
  ['a failure', task('failed', {}, text('It broke.')), { ...ids, state: 'failed', text: 'It broke.' }],
  ['nothing yet', task('submitted'), { ...ids, state: 'submitted', text: '' }],
  [
    'a message alone',
    { result: { kind: 'message', contextId: 'c', ...text('Hi') } },
    { task_id: '', context_id: 'c', state: 'completed', text: 'Hi' },
  ],
])('when an agent answers with %s, then its task is read', (_, answer, expected) => {
  expect(readTask(answer)).toEqual(expected);
});

test.each([[undefined], [null], ['<html>'], [{}], [{ result: 'done' }], [[]]])(
  'when %j comes, then it is no answer of an agent',
  (answer) => {
    expect(() => readTask(answer)).toThrow(/something else/);
  },
);

test.each([
  [{ error: { code: -32_602, message: 'text is not taken' } }, 'text is not taken'],
  [{ error: { code: -32_004 } }, 'error -32004'],
  [task('failed'), undefined],
])('when the agent answers %j, then the reason of its refusal is read', (answer, why) => {
  expect(refusalIn(answer)).toBe(why);
});
