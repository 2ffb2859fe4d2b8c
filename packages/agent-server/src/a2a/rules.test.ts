import type { A2aVersion } from '@roadstead/contracts/agent-server';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interruptedStates, type Task, type TaskState, terminalStates } from '../tasks/task.ts';
import { faultCodes } from './rpc/a2a-fault.ts';
import { parseCall } from './rpc/json-rpc.ts';
import { actionFor, takenAs } from './methods/message-rules.ts';
import { presentResult, presentSnapshot } from './methods/presentation-rules.ts';
import { familyOf, versionOf } from './rpc/version-rules.ts';
import { codeOf, message, taskIn, text } from '../testing/a2a-values.ts';

describe('what follows from a message', () => {
  const decide = (
    version: A2aVersion,
    task: Task | undefined,
    ids: { context_id?: string; task_id?: string },
  ) => {
    const action = actionFor({ version, incoming: { message: message(text('hi')), ...ids }, task });
    switch (action.kind) {
      case 'begin':
        return `begin in ${action.context_id ?? 'a new context'}${action.message.reference_task_ids ? ` after ${action.message.reference_task_ids.join()}` : ''}`;
      case 'refuse':
        return String(faultCodes[action.fault.reason]);
      case 'resume':
      case 'answer':
        return action.kind;
    }
  };
  const rows: [
    string,
    A2aVersion | 'both',
    Task | undefined,
    { context_id?: string; task_id?: string },
    string,
  ][] = [
    ['a first message', 'both', undefined, {}, 'begin in a new context'],
    ['a context of the client’s', 'both', undefined, { context_id: 'k' }, 'begin in k'],
    ['an unknown or foreign task', 'both', undefined, { task_id: 't' }, '-32001'],
    [
      'a task of another context',
      'both',
      taskIn('input-required'),
      { task_id: 't', context_id: 'k' },
      '-32602',
    ],
    ['a task that asks', 'both', taskIn('input-required'), { task_id: 't', context_id: 'c' }, 'resume'],
    ['a task that wants a login', 'both', taskIn('auth-required'), { task_id: 't' }, 'resume'],
    ['a queued task', 'both', taskIn('submitted'), { task_id: 't' }, '-32004'],
    ['a working task', 'both', taskIn('working'), { task_id: 't', context_id: 'c' }, '-32004'],
    ['a completed task', '0.3', taskIn('completed'), { task_id: 't', context_id: 'c' }, 'begin in c after t'],
    [
      'a completed task, its context not sent',
      '0.3',
      taskIn('completed'),
      { task_id: 't' },
      'begin in c after t',
    ],
    ['a failed task', '0.3', taskIn('failed'), { task_id: 't' }, 'begin in c after t'],
    ['a canceled task', '0.3', taskIn('canceled'), { task_id: 't' }, 'begin in c after t'],
    ['a rejected task', '0.3', taskIn('rejected'), { task_id: 't' }, 'begin in c after t'],
    [
      'a completed task of another context',
      '0.3',
      taskIn('completed'),
      { task_id: 't', context_id: 'k' },
      '-32602',
    ],
    ['a completed task', '1.0', taskIn('completed'), { task_id: 't', context_id: 'c' }, '-32004'],
    ['a failed task', '1.0', taskIn('failed'), { task_id: 't' }, '-32004'],
    ['a canceled task', '1.0', taskIn('canceled'), { task_id: 't' }, '-32004'],
    ['a rejected task', '1.0', taskIn('rejected'), { task_id: 't' }, '-32004'],
  ];
  test.for(rows)(
    'when there is %s (%s), then what follows is what that version says',
    ([, version, task, ids, expected]) => {
      for (const one of version === 'both' ? (['0.3', '1.0'] as const) : [version])
        expect(decide(one, task, ids)).toBe(expected);
    },
  );

  test('when its task has taken a message already, then it is never taken twice', () => {
    const states = fc.constantFrom<TaskState>(
      'submitted',
      'working',
      ...terminalStates,
      ...interruptedStates,
    );
    fc.assert(
      fc.property(fc.constantFrom<A2aVersion>('0.3', '1.0'), states, (version, state) => {
        const again = { ...message(text('hi')), message_id: 'old' };
        const task = taskIn(state);
        const incoming = { message: again, task_id: 't' };
        expect(takenAs(task, again)?.message_id).toBe('old');
        expect(actionFor({ version, incoming, task, repeats: true })).toEqual({ kind: 'answer', task });
        expect(actionFor({ version, incoming, task, repeats: false })).toMatchObject({
          kind: 'refuse',
          fault: { reason: 'invalid_params', fields: [{ field: 'message.messageId' }] },
        });
      }),
    );
  });

  test('when a task asks, then it is resumed, and only then; a terminal one never goes on', () => {
    const states = fc.constantFrom<TaskState>(
      'submitted',
      'working',
      ...terminalStates,
      ...interruptedStates,
    );
    const contexts = fc.constantFrom(undefined, 'c', 'k');
    fc.assert(
      fc.property(
        fc.constantFrom<A2aVersion>('0.3', '1.0'),
        states,
        contexts,
        (version, state, context_id) => {
          const incoming = {
            message: message(text('hi')),
            task_id: 't',
            ...(context_id ? { context_id } : {}),
          };
          const action = actionFor({ version, incoming, task: taskIn(state) });
          const fits = context_id !== 'k';
          const begins = fits && version === '0.3' && terminalStates.includes(state);
          const resumes = fits && interruptedStates.includes(state);
          const context = action.kind === 'begin' ? action.context_id : undefined;
          const begun = begins ? 'c' : undefined;
          expect([action.kind === 'resume', action.kind === 'begin', context]).toEqual([
            resumes,
            begins,
            begun,
          ]);
        },
      ),
    );
  });

  test('when a client names references, then they are kept, the task first and once', () => {
    const incoming = { message: { ...message(text('a')), reference_task_ids: ['x', 't'] }, task_id: 't' };
    const action = actionFor({ version: '0.3', incoming, task: taskIn('completed') });
    expect(action).toMatchObject({ kind: 'begin', message: { reference_task_ids: ['t', 'x'] } });
  });
});

describe('versions', () => {
  test.for<[string | undefined, string, string]>([
    [undefined, 'message/send', '0.3'],
    ['', 'message/send', '0.3'],
    ['  ', 'SendMessage', '1.0'],
    [undefined, 'SendMessage', '1.0'],
    ['0.3', 'message/send', '0.3'],
    ['0.3.0', 'message/send', '0.3'],
    ['0.3.17', 'SendMessage', '0.3'],
    ['1.0', 'message/send', '1.0'],
    ['1', 'SendMessage', '1.0'],
    [' 1.0.1 ', 'SendMessage', '1.0'],
    ['1.1', 'SendMessage', '-32009'],
    ['0.2.5', 'message/send', '-32009'],
    ['99.0', 'message/send', '-32009'],
    ['latest', 'SendMessage', '-32009'],
    ['1.0, 1.0', 'SendMessage', '-32009'],
  ])('when the version %j comes with %s, then it is %s', ([named, method, expected]) => {
    let answered = '';
    const code = codeOf(() => {
      answered = versionOf(named, method);
    });
    expect(code === undefined ? answered : String(code)).toBe(expected);
  });
  test('when a method is named, then its family is 1.0 if that knows it, and 0.3 otherwise', () => {
    expect(['message/send', 'tasks/get', '', 'foo', 'GetTask'].map(familyOf)).toEqual([
      '0.3',
      '0.3',
      '0.3',
      '0.3',
      '1.0',
    ]);
  });
});

describe('the envelope', () => {
  test.for<[string, string, number, string]>([
    ['no JSON', '{', -32_700, 'null'],
    ['nothing', '', -32_700, 'null'],
    ['null', 'null', -32_600, 'null'],
    ['a number', '1', -32_600, 'null'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]', -32_600, 'null'],
    ['no jsonrpc', '{"id":1,"method":"tasks/get"}', -32_600, '1'],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":"a","method":"tasks/get"}', -32_600, '"a"'],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32_600, '1'],
    ['an answer', '{"jsonrpc":"2.0","id":1,"result":{}}', -32_600, '1'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tasks/get"}', -32_600, 'null'],
    ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"tasks/get"}', -32_600, 'null'],
    ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"tasks/get"}', -32_600, 'null'],
    ['a numeric method', '{"jsonrpc":"2.0","id":1,"method":7}', -32_601, '1'],
  ])('when a body holds %s, then the fault has the code for it', async ([, body, code, id]) => {
    const { fault, ...rest } = await parseCall(Buffer.from(body));
    expect(fault && faultCodes[fault.reason]).toBe(code);
    expect(rest).toEqual({ id });
  });

  test('when any body comes, then it is a call or a fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (body) => {
        const parsed = await parseCall(Buffer.from(body));
        expect(parsed.call === undefined).not.toBe(parsed.fault === undefined);
      }),
    );
  });
});

test('when a task is shown, then results begin with the newest artifact, and streams do not', () => {
  const history = ['1', '2', '3'].map((id) => ({ message_id: id, role: 'user' as const, parts: [text(id)] }));
  const artifacts = ['a', 'b'].map((artifact_id) => ({ artifact_id, parts: [text(artifact_id)] }));
  const task = taskIn('completed', { history, artifacts });
  const ids = (shown: Task) => shown.history.map((one) => one.message_id).join('');
  expect([undefined, 0, 1, 2, 99].map((count) => ids(presentResult(task, count)))).toEqual([
    '123',
    '',
    '3',
    '23',
    '123',
  ]);
  expect(presentResult(task, 0).artifacts.map((one) => one.artifact_id)).toEqual(['b', 'a']);
  expect(presentSnapshot(task, 0).artifacts.map((one) => one.artifact_id)).toEqual(['a', 'b']);
});
