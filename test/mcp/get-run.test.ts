import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Arguments, startMcpFixture, traceOf } from './mcp-fixture.ts';

/** A run as a whole and by its parts. */

const [small, large, failed, wide] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
const story = `It began "so":\n${'a long 😀 story '.repeat(8000)}and it ended.`;
const messages = [
  { role: 'user', content: 'Tell me a story.' },
  { role: 'assistant', content: story },
];

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  await fixture().send(traceOf(small, 1, { outputs: { answer: 'yes', 'x.y': [1, 2] }, tags: ['a'] }));
  await fixture().send(
    traceOf(large, 1, { outputs: { messages, items: Array.from({ length: 9000 }, (_, at) => at) } }),
  );
  await fixture().send(
    traceOf(failed, 2, { error: 'ValueError: no\n\nTraceback', extra: { metadata: { thread_id: 't 1' } } }),
  );
  const many = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`key ${at}`, at]));
  await fixture().send(traceOf(wide, 1, { outputs: { many } }));
});
const caller = useFixture(() => fixture().connect('client 2.x, HTTP, 2026-07-28'));

async function call(given: Arguments) {
  const answer = await caller().call('get_run', given);
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  const [text] = answer.content ?? [];
  expect(text?.text?.length).toBeLessThanOrEqual(Number(given['max_chars_per_page'] ?? 25_000));
  return { ...answer.structuredContent, links: (answer.content ?? []).slice(1) } as Record<string, unknown>;
}

test('when a run fits, then it is shown whole, and the next call is named', async () => {
  const { run, cut_paths, next, links } = await call({ run_id: small });
  expect(run).toMatchObject({ id: small, name: 'step 0', outputs: { answer: 'yes' }, tags: ['a'] });
  expect(Object.values(run as object)).not.toContain(null);
  expect([cut_paths, links]).toEqual([undefined, []]);
  expect(next).toEqual([`get_trace_tree {"trace_id":"${small}","run_id":"${small}"}`]);
});

test('when a run does not fit, then the cut texts are named, and each is read whole by its path', async () => {
  const whole = await call({ run_id: large, max_chars_per_page: 4000, selects: ['outputs', 'inputs'] });
  expect(whole).toMatchObject({ _truncated: true, note: 'What is cut is read whole by path.' });
  const { run, cut_paths, next, links } = await call({ run_id: large, path: 'outputs.messages' }).then(() =>
    call({ run_id: failed, preview_chars: 10 }),
  );
  expect(run).toMatchObject({ inputs: { text: `${'x'.repeat(10)}... (+290 chars)` } });
  expect(cut_paths).toContain('inputs.text');
  expect(next).toContain(`get_run {"run_id":"${failed}","path":"inputs.text"}`);
  expect(links).toEqual([
    expect.objectContaining({ type: 'resource_link', uri: `roadstead://runs/${failed}` }),
  ]);
});

test.each([1000, 7000, 30_000])(
  'when a long text is read in pages of %i characters, then the pages are the text',
  async (max_chars_per_page) => {
    const texts: unknown[] = [];
    for (let page_number = 1, total = 1; page_number <= total; page_number += 1) {
      const given = { run_id: large, path: 'outputs.messages[-1].content', page_number, max_chars_per_page };
      const { value, total_pages } = await call(given);
      texts.push(value);
      total = Math.min(Number(total_pages), 20);
    }
    expect(story.startsWith(texts.join(''))).toBe(true);
    expect(texts.join('').length).toBeGreaterThan(Math.min(story.length, 15_000) - 1);
  },
);

test('when a list is read, then it comes in pages of its items', async () => {
  const items: unknown[] = [];
  for (let page_number = 1, total = 1; page_number <= total; page_number += 1) {
    const { value, total_pages } = await call({ run_id: large, path: 'outputs.items', page_number });
    items.push(...(value as unknown[]));
    total = Number(total_pages);
  }
  expect(items).toEqual(Array.from({ length: 9000 }, (_, at) => at));
});

test.each<[string, Arguments, object]>([
  ['a name with a dot', { path: 'outputs["x.y"][1]' }, { value: 2 }],
  ['an object', { path: 'outputs' }, { value: { answer: 'yes', 'x.y': [1, 2] } }],
  ['a field that is there but empty', { path: 'error' }, { value: null }],
  ['selected fields', { selects: 'tags' }, { run: { id: small, trace_id: small, tags: ['a'] } }],
])('when it is asked for %s, then it gives that', async (_what, given, says) => {
  expect(await call({ run_id: small, ...given })).toMatchObject(says);
});

test('when a run failed, then it leads to its trace and to its conversation', async () => {
  const { next } = await call({ run_id: failed });
  expect(next).toEqual([
    `get_trace_tree {"trace_id":"${failed}","errors_only":true}`,
    expect.stringMatching(
      /^get_thread_history \{"thread_id":"t 1","project_name":"[\da-f-]{36}","page_number":1\}$/,
    ),
  ]);
});

test('when an object has more members than fit, then it is shown by its beginning', async () => {
  expect(await call({ run_id: wide, path: 'outputs.many' })).toMatchObject({
    _truncated: true,
    _truncated_preview: expect.stringContaining('"key 7":7') as string,
  });
});

test.each<[string, Arguments, string, RegExp]>([
  ['another run', { run_id: uuidv7() }, 'not_found', /no run.*search_runs/],
  ['no path', { run_id: small, path: 'a..b' }, 'invalid_input', /path/],
  ['a path beside', { run_id: small, path: 'outputs.nothing' }, 'not_found', /outputs has answer, x\.y\./],
  ['a place after the last', { run_id: small, path: 'outputs["x.y"][2]' }, 'not_found', /list of 2/],
  [
    'a path of no field',
    { run_id: small, path: 'output.answer' },
    'invalid_input',
    /path begins with no field/,
  ],
  ['no field', { run_id: small, selects: ['output'] }, 'invalid_input', /selects names no field/],
])('when it gets %s, then it refuses', async (_what, given, code, says) => {
  const answer = await caller().call('get_run', given);
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code } } });
  expect(answer.content?.[0]?.text).toMatch(says);
});
