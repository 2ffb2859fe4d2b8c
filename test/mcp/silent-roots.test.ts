import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { WORKSPACE } from '../../packages/observability/src/testing/observability-fixture.ts';
import { startMcpFixture, traceOf } from './mcp-fixture.ts';

/** Conversations whose turns begin with a run that holds no messages: the tool tells the same as the preview of a thread. */

const fixture = useFixture(startMcpFixture);
const caller = useFixture(() => fixture().connect('client 2.x, HTTP, 2026-07-28'));

test('when a root has no messages, then the first runs below that have them stand for the turn', async () => {
  const [root, child] = [uuidv7(), uuidv7()];
  const [own] = traceOf(root, 1, {
    name: 'POST /chat',
    inputs: {},
    outputs: {},
    extra: { metadata: { thread_id: 'web' } },
  }) as [Record<string, unknown>];
  const parts = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const below = {
    ...own,
    id: child,
    parent_run_id: root,
    dotted_order: `${String(own['dotted_order'])}.20260105T090001000000Z${child}`,
    name: 'chat',
    run_type: 'llm',
    inputs: { messages: [parts('system', 'Be brief.'), parts('user', 'hello')] },
    outputs: { messages: [parts('assistant', 'hi')] },
    extra: {},
  };
  await fixture().send([own, below]);
  const given = { thread_id: 'web', project_name: own['session_name'], page_number: 1 };
  const { structuredContent } = await caller().call('get_thread_history', given);
  expect(structuredContent).toMatchObject({
    result: [
      { role: 'system', content: 'Be brief.', trace_id: root },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
    ],
  });
});

interface Message {
  readonly role: string;
  readonly content: unknown;
}
const said = (role: string, content: unknown): Message => ({ role, content });
const user = (content: unknown) => said('user', content);
const bot = (content: unknown) => said('assistant', content);
const call = { messages: [user('from below')] };

test.each<[string, unknown, unknown, readonly Message[]]>([
  ['plain texts', { input: 'hello' }, { output: 'hi' }, [user('hello'), bot('hi')]],
  ['a question and an answer', { question: 'hello' }, { answer: 'hi' }, [user('hello'), bot('hi')]],
  ['a text and messages', { query: 'hello' }, { messages: [bot('hi')] }, [user('hello'), bot('hi')]],
  ['messages and a text', { messages: [user('hello')] }, { result: 'hi' }, [user('hello'), bot('hi')]],
  [
    'a question to a person',
    { input: 'go' },
    { __interrupt__: [{ value: 'Sure?' }] },
    [user('go'), bot('Sure?')],
  ],
  ['the answer of a person', { resume: 'yes' }, { output: 'done' }, [user('yes'), bot('done')]],
  [
    'messages beside a question',
    { messages: [user('go')] },
    { __interrupt__: [{ value: { a: 1 } }] },
    [user('go'), bot({ a: 1 })],
  ],
  ['only JSON', { key: 'x' }, { seen: [1] }, [user({ key: 'x' }), bot({ seen: [1] })]],
  ['lists without a message', { messages: [] }, {}, []],
  ['nothing', {}, undefined, []],
])(
  'when a turn holds %s, then the tool and the preview tell the same',
  async (what, inputs, outputs, expected) => {
    const thread_id = `turn of ${what}`;
    const [run] = traceOf(uuidv7(), 1, { inputs, outputs, extra: { metadata: { thread_id } } }) as [
      Record<string, unknown>,
    ];
    await fixture().send([{ ...run, session_name: 'turns' }]);
    const { shown, previewed } = await toldOf(thread_id);
    expect(previewed).toEqual(expected);
    expect(shown).toEqual(expected.map(asText));
  },
);

test.each([
  ['JSON', { key: 'x' }, [user('from below')]],
  ['a text', { input: 'hello' }, [user('hello')]],
])(
  'when a turn holds %s and one below it messages, then both tell the same',
  async (what, inputs, expected) => {
    const thread_id = `turn of ${what} above another`;
    const [root, child] = [uuidv7(), uuidv7()];
    const [own] = traceOf(root, 1, { inputs, outputs: {}, extra: { metadata: { thread_id } } }) as [
      Record<string, unknown>,
    ];
    const dotted_order = `${String(own['dotted_order'])}.20260105T090001000000Z${child}`;
    const below = { ...own, id: child, parent_run_id: root, dotted_order, inputs: call, extra: {} };
    await fixture().send([own, below].map((run) => ({ ...run, session_name: 'turns' })));
    const { shown, previewed } = await toldOf(thread_id);
    expect(previewed).toEqual(expected);
    expect(shown).toEqual(expected.map(asText));
  },
);

/** The tool tells texts. */
const asText = ({ role, content }: Message) =>
  said(role, typeof content === 'string' ? content : JSON.stringify(content));

async function toldOf(thread_id: string) {
  const given = { thread_id, project_name: 'turns', page_number: 1 };
  const { structuredContent } = await caller().call('get_thread_history', given);
  const { result } = structuredContent as { readonly result: readonly Message[] };
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${fixture().api_url}${path}`, { headers: { 'x-api-key': `key-${WORKSPACE}` } })).json();
  const [project] = (await ask('/sessions?name=turns')) as readonly { readonly id: string }[];
  const { previews } = (await ask(
    `/runs/threads/${encodeURIComponent(thread_id)}?session_id=${project?.id}&select=all_messages`,
  )) as { readonly previews: Readonly<Record<string, string>> };
  const lines = String(previews['all_messages'])
    .split('\n\n')
    .filter((line) => line !== '');
  return {
    shown: result.map(({ role, content }) => said(role, content)),
    previewed: lines.map((line) => {
      const { role, content } = JSON.parse(line) as Message;
      return said(role, content);
    }),
  };
}
