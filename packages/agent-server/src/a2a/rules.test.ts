import type { A2aVersion } from '@roadstead/contracts/agent-server';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interruptedStates, type Part, type Task, type TaskState, terminalStates } from '../tasks/task.ts';
import { A2aFault, faultCodes } from './rpc/a2a-fault.ts';
import { answerOf, inputOf } from './methods/input-rules.ts';
import { parseCall } from './rpc/json-rpc.ts';
import { actionFor, takenAs } from './methods/message-rules.ts';
import { presentResult, presentSnapshot } from './methods/presentation-rules.ts';
import { familyOf, versionOf } from './rpc/version-rules.ts';

const text = (value: string): Part => ({ kind: 'text', text: value });
const data = (value: unknown): Part => ({ kind: 'data', data: value });
const picture: Part = { kind: 'file', file: { bytes: 'aGk=' }, media_type: 'image/png', name: 'a.png' };
const message = (...parts: Part[]) => ({ message_id: 'new', role: 'user', parts }) as const;
const chat = { graph_id: 'chat', description: null, channels: ['messages', 'city'], has_messages: true };
const plain = { graph_id: 'plain', description: null, channels: ['city', 'days'], has_messages: false };

function taskIn(state: TaskState, more: Partial<Task> = {}): Task {
  return {
    id: 't',
    context_id: 'c',
    assistant_id: 'x',
    status: { state, at: '2026-01-02T03:04:05.678Z' },
    history: [{ message_id: 'old', role: 'user', parts: [text('hi')] }],
    artifacts: [],
    seq: 4,
    ...more,
  };
}

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

describe('a graph’s input', () => {
  const human = (content: string, at = 0) => ({ role: 'user', content, id: `a2a:${at}:new` });
  test.for<[string, Part[], object]>([
    ['text', [text('hi')], { messages: [human('hi')] }],
    ['texts', [text('a'), text('b')], { messages: [human('a'), human('b', 1)] }],
    ['data', [data({ city: 'Rome' })], { city: 'Rome' }],
    [
      'data, later keys winning',
      [data({ city: 'Rome', a: 1 }), data({ city: 'Oslo' })],
      { city: 'Oslo', a: 1 },
    ],
    ['both', [data({ city: 'Rome' }), text('hi')], { city: 'Rome', messages: [human('hi')] }],
    [
      'files, in one message',
      [
        text('Look'),
        picture,
        data({ city: 'Rome' }),
        { kind: 'file', file: { uri: 'https://example.com/a.pdf' } },
      ],
      {
        city: 'Rome',
        messages: [
          {
            role: 'user',
            id: 'a2a:0:new',
            content: [
              { type: 'text', text: 'Look' },
              {
                type: 'image',
                source_type: 'base64',
                data: 'aGk=',
                mime_type: 'image/png',
                mimeType: 'image/png',
                metadata: { filename: 'a.png' },
              },
              { type: 'file', source_type: 'url', url: 'https://example.com/a.pdf' },
            ],
          },
        ],
      },
    ],
    ['messages in data too', [data({ messages: [1] }), text('b')], { messages: [1, human('b')] }],
  ])('when a message holds %s, then the graph’s input does, too', ([, parts, input]) => {
    expect(inputOf(message(...parts), { graph: chat, a2ui: false })).toEqual(input);
  });

  test.for<[string, Part[], typeof chat, number]>([
    ['text without messages', [text('hi')], plain, -32_602],
    ['a file without messages', [picture], plain, -32_602],
    ['text and data.messages that is no list', [data({ messages: 'x' }), text('hi')], chat, -32_602],
    ['an answer where nothing is asked', [data({ resume: 1 })], chat, -32_602],
    ['data that is no object', [data([1])], chat, -32_005],
  ])('when a message holds %s, then it is refused', ([, parts, graph, code]) => {
    expect(codeOf(() => inputOf(message(...parts), { graph, a2ui: false }))).toBe(code);
  });

  test('when a graph has no messages, then the fault names its fields; data alone needs none', () => {
    expect(() => inputOf(message(text('hi')), { graph: plain, a2ui: false })).toThrow('city, days');
    expect(inputOf(message(data({ city: 'Rome' })), { graph: plain, a2ui: false })).toEqual({ city: 'Rome' });
    expect(
      inputOf(message(data({ resume: 1 })), { graph: { ...plain, channels: ['resume'] }, a2ui: false }),
    ).toEqual({ resume: 1 });
  });

  test('when a key is called __proto__, then it is a key like any other', () => {
    const evil = JSON.parse('{"__proto__": {"admin": true}}') as object;
    const input = inputOf(message(data(evil), data({ city: 'Rome' })), { graph: chat, a2ui: false });
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect((input as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe('an answer to an interrupt', () => {
  const asking = taskIn('input-required', {
    status: {
      state: 'input-required',
      at: '',
      message: { message_id: 'q', role: 'agent', parts: [text('Sure?')], metadata: { interrupt_id: 'i1' } },
    },
  });
  test.for<[string, Part[], unknown]>([
    ['text', [text('yes')], 'yes'],
    ['texts', [text('a'), text('b')], 'a\nb'],
    ['empty text', [text('')], ''],
    [
      'a file',
      [{ kind: 'file', file: { uri: 'https://example.com/a' } }],
      [{ type: 'file', source_type: 'url', url: 'https://example.com/a' }],
    ],
    ['a value', [data({ resume: { approved: true } })], { approved: true }],
    ['null', [data({ resume: null })], null],
    ['a list', [data({ resume: [1, 2] })], [1, 2]],
    ['an empty list', [data({ resume: [] })], []],
    [
      'a list of things with an id',
      [data({ resume: [{ id: 'i1', value: 2, more: 1 }] })],
      [{ id: 'i1', value: 2, more: 1 }],
    ],
    ['by id', [data({ resume: [{ id: 'i1', value: 2 }] })], 2],
  ])('when the answer is %s, then the interrupt gets it', ([, parts, value]) => {
    expect(answerOf(message(...parts), asking)).toEqual(value);
  });

  test.for<[string, Part[]]>([
    ['an update of the state', [data({ update: { messages: [] } })]],
    ['a jump', [data({ resume: 1, goto: 'end' })]],
    ['a command', [data({ command: { resume: 1 } })]],
    ['other data', [data({ city: 'Rome' })]],
    ['data that is no object', [data('yes')]],
    ['text and data', [text('yes'), data({ resume: 1 })]],
    ['two data parts', [data({ resume: 1 }), data({ resume: 2 })]],
    [
      'two answers',
      [
        data({
          resume: [
            { id: 'i1', value: 1 },
            { id: 'i2', value: 2 },
          ],
        }),
      ],
    ],
    ['an answer to another question', [data({ resume: [{ id: 'i2', value: 1 }] })]],
  ])('when the answer is %s, then it is refused', ([, parts]) => {
    expect(codeOf(() => answerOf(message(...parts), asking))).toBe(-32_602);
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

function codeOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof A2aFault) return faultCodes[error.reason];
    throw error;
  }
}
