import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../packages/mcp-server/package.json' with { type: 'json' };
import {
  type Answer,
  type Arguments,
  LATEST,
  PROJECT,
  startMcpFixture,
  traceOf,
  turnOf,
  ways,
} from './mcp-fixture.ts';

/** Every tool, as each official client sees it over each transport and in each era of the protocol. */

const big = uuidv7();
const project_name = PROJECT;
const user = (content: string) => ({ role: 'user', content });
const bot = (content: string) => ({ role: 'assistant', content });

/** What the specification has. */
const specified = [
  'get_thread_history',
  'list_prompts',
  'get_prompt_by_name',
  'fetch_runs',
  'list_projects',
  'list_datasets',
  'list_examples',
  'read_dataset',
  'read_example',
  'list_experiments',
  'get_billing_usage',
  'push_prompt',
  'create_dataset',
  'update_examples',
  'run_experiment',
];

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  await fixture().send(traceOf(big, 250));
  const turns = [0, 1, 2].map((at) =>
    turnOf({
      thread_id: 'twice/?%',
      at,
      inputs: { messages: [user('again')] },
      outputs: { messages: [bot('the same')] },
    }),
  );
  await fixture().send(turns);
});

describe.each(ways)('when the caller is %s', (way) => {
  // Every call comes after a listing: clients hold answers against the schemas that they were told.
  const caller = useFixture(() => fixture().connect(way));
  beforeAll(() => caller().listTools());
  const call = (name: string, given?: Arguments): Promise<Answer> => caller().call(name, given);

  test('when a client connects, then it is told who serves, its era, and the tools that work', async () => {
    expect(caller().server()).toMatchObject({ name: 'roadstead', version: manifest.version });
    // The 1.x client over stdio doesn't say which it speaks.
    expect((caller().protocol() ?? 'before') === LATEST).toBe(way.endsWith(LATEST));
    const { tools } = await caller().listTools();
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(specified));
    expect(tools).toEqual(
      tools.map(() =>
        expect.objectContaining({
          title: expect.any(String) as string,
          inputSchema: expect.objectContaining({ type: 'object' }) as object,
          outputSchema: expect.objectContaining({ type: 'object' }) as object,
          annotations: expect.objectContaining({ readOnlyHint: true }) as object,
        }),
      ),
    );
    // Google's SDK for Python refuses tools that say it.
    expect(JSON.stringify(tools)).not.toContain('"additionalProperties":false');
  });

  test.each<[string, string, Arguments, string, RegExp]>([
    [
      'a filter',
      'fetch_runs',
      { limit: 1, filter: 'eq(naem, "x")' },
      'invalid_filter',
      /`filter`.*character 4/,
    ],
    ['a trace filter', 'fetch_runs', { limit: 1, trace_filter: 'x' }, 'invalid_filter', /trace_filter/],
    ['a tree filter', 'fetch_runs', { limit: 1, tree_filter: 'x' }, 'invalid_filter', /tree_filter/],
    ['a word for a number', 'fetch_runs', { limit: 'many' }, 'invalid_input', /limit/],
    ['a fraction', 'fetch_runs', { limit: 1.5 }, 'invalid_input', /limit/],
    ['no limit', 'fetch_runs', {}, 'invalid_input', /limit is required/],
    ['no project', 'fetch_runs', { limit: 1, project_name: null }, 'invalid_input', /project_name/],
    ['a broken list', 'fetch_runs', { limit: 1, project_name: '["tools"' }, 'invalid_input', /project_name/],
    ['an empty list', 'fetch_runs', { limit: 1, project_name: [] }, 'invalid_input', /project_name/],
    ['a list of numbers', 'fetch_runs', { limit: 1, project_name: [1] }, 'invalid_input', /project_name/],
    ['an unknown input', 'fetch_runs', { limit: 1, colour: 'red' }, 'invalid_input', /colour/],
    ['a bad run type', 'fetch_runs', { limit: 1, run_type: 'dance' }, 'invalid_input', /run_type/],
    ['a bad boolean', 'fetch_runs', { limit: 1, error: 'maybe' }, 'invalid_input', /error/],
    ['a number for a boolean', 'fetch_runs', { limit: 1, is_root: 1 }, 'invalid_input', /is_root/],
    ['a bad time', 'fetch_runs', { limit: 1, min_start_time: 'soon' }, 'invalid_input', /min_start_time/],
    ['a bad id', 'fetch_runs', { limit: 1, trace_id: 'x' }, 'invalid_input', /trace_id/],
    [
      'a bad order',
      'fetch_runs',
      { limit: 1, order: 'asc', order_by: '-start_time' },
      'invalid_input',
      /order/,
    ],
    [
      'a page below 1',
      'get_thread_history',
      { thread_id: 't', page_number: 0 },
      'invalid_input',
      /page_number/,
    ],
    [
      'too small a page',
      'get_thread_history',
      { thread_id: 't', page_number: 1, max_chars_per_page: 10 },
      'invalid_input',
      /max_chars_per_page must be 1000/,
    ],
    ['NUL in a name', 'fetch_runs', { limit: 1, project_name: 'a\0b' }, 'invalid_input', /project_name.*NUL/],
    [
      'NUL in one of several names',
      'fetch_runs',
      { limit: 1, project_name: ['tools', 'a\0b'] },
      'invalid_input',
      /project_name.*NUL/,
    ],
    [
      'half a surrogate pair in a thread id',
      'get_thread_history',
      { thread_id: 'a\ud800', page_number: 1 },
      'invalid_input',
      /thread_id.*surrogate/,
    ],
    ['a long name', 'fetch_runs', { limit: 1, project_name: 'x'.repeat(100_000) }, 'invalid_input', /longer/],
    ['a long part of a name', 'list_projects', { project_name: 'x'.repeat(5000) }, 'invalid_input', /longer/],
    ['two things', 'fetch_runs', { limit: 'many', error: 'maybe' }, 'invalid_input', /error.*limit/],
    ['an unknown project', 'fetch_runs', { project_name: 'none', limit: 1 }, 'not_found', /project/],
    ['an unknown thread', 'get_thread_history', { thread_id: 'x', page_number: 1 }, 'not_found', /thread/],
    ['an unknown trace', 'fetch_runs', { limit: 1, trace_id: uuidv7() }, 'not_found', /trace/],
  ])(
    'when the call has %s, then what is wrong is told in words and by code',
    async (_what, name, given, code, says) => {
      const answer = await call(name, { project_name, ...given });
      expect(answer).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code, message: expect.stringMatching(says) as string, hint: expect.any(String) as string },
        },
      });
      expect(answer.content).toEqual([{ type: 'text', text: expect.stringMatching(says) as string }]);
      expect(JSON.stringify(answer)).not.toMatch(/dance|"red"|maybe|many|soon/);
    },
  );

  test.each<[string, Arguments]>([
    ['native values', { project_name, limit: 3, is_root: false, error: false, page_number: 1 }],
    ['texts', { project_name: '["tools"]', limit: '3', is_root: 'False', error: 'false', page_number: '1' }],
    ['a list', { project_name: ['tools'], limit: 3, is_root: false, filter: null, trace_id: '' }],
  ])('when the arguments are %s, then the answer is the same', async (_form, given) => {
    const { structuredContent, content } = await call('fetch_runs', given);
    expect(structuredContent).toMatchObject({ page_number: 1, total_pages: 1 });
    expect(structuredContent?.['runs']).toHaveLength(3);
    expect(JSON.parse(content?.[0]?.text ?? '')).toEqual(structuredContent);
  });

  test('when projects are listed, then no arguments are needed', async () => {
    const { structuredContent } = await call('list_projects');
    expect(structuredContent).toMatchObject({
      projects: expect.arrayContaining([expect.objectContaining({ name: PROJECT })]),
    });
    expect(
      (await call('list_projects', { project_name: 'nothing like it' })).structuredContent,
    ).toMatchObject({ projects: [], has_more: false });
  });

  test('when a trace is larger than the API gives at once, then it is read page by page, in order', async () => {
    const names: string[] = [];
    const totals = new Set<unknown>();
    let total = 1;
    for (let page_number = 1; page_number <= total; page_number += 1) {
      const given = { project_name, limit: 1000, page_number, trace_id: big, preview_chars: 40 };
      const { structuredContent: page } = await call('fetch_runs', given);
      const { runs, total_pages } = page as unknown as { runs: { name: string }[]; total_pages: number };
      total = total_pages;
      totals.add(total_pages);
      expect(JSON.stringify(page).length).toBeLessThanOrEqual(25_000);
      expect(page).toMatchObject({ has_more: false, page_number });
      names.push(...runs.map((run) => run.name));
    }
    expect(total).toBeGreaterThan(1);
    expect(totals.size).toBe(1);
    expect(names).toEqual(Array.from({ length: 250 }, (_, at) => `step ${at}`));
  });

  test('when the same was said more than once, then it is told as often', async () => {
    const { structuredContent } = await call('get_thread_history', {
      project_name,
      thread_id: 'twice/?%',
      page_number: '1',
    });
    const { result } = structuredContent as unknown as { result: { content: string }[] };
    expect(result.map((message) => message.content)).toEqual(
      Array.from({ length: 3 }, () => ['again', 'the same']).flat(),
    );
  });
});
