import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Arguments, PROJECT as project_name, startMcpFixture, traceOf, turnOf } from './mcp-fixture.ts';

/** Runs found by words, summed up, by filters that are checked first, and the conversations they are in. */

const [invoice, lost, fine] = [uuidv7(), uuidv7(), uuidv7()];

/** A turn of a conversation, so many seconds ago. */
function said(thread_id: string, ago: number) {
  const at = (Date.now() - Date.UTC(2026, 0, 6)) / 1000 - ago;
  return turnOf({ thread_id, at, inputs: { input: `question ${ago}` }, outputs: { output: 'answer' } });
}

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  const long = `${'before '.repeat(200)}the invoice 4711 is overdue${' after'.repeat(200)}`;
  await fixture().send(traceOf(invoice, 1, { outputs: { messages: [{ content: long }] }, tags: ['a "b"'] }));
  await fixture().send(
    traceOf(lost, 3, {
      name: 'lookup',
      error: 'ConnectionError: invoice store away',
      extra: { metadata: { release: 'v 2' } },
    }),
  );
  await fixture().send(traceOf(fine, 2, { name: 'lookup', extra: { metadata: { release: 'v 1' } } }));
  await fixture().send([
    said('t 1', 500),
    said('t 1', 400),
    said('t"2', 300),
    said('t 3', 200),
    said('old', 864_000),
  ]);
});
const caller = useFixture(() => fixture().connect('client 2.x, HTTP, 2026-07-28'));

async function call<T>(name: string, given: Arguments = {}): Promise<T> {
  const answer = await caller().call(name, given);
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  expect(answer.content?.[0]?.text?.length).toBeLessThanOrEqual(25_000);
  return answer.structuredContent as T;
}
/** Does what an answer names as the next call. */
async function follow(next: readonly string[]) {
  const [, name = '', given = '{}'] = /^(\w+) (.*)$/s.exec(next[0] ?? '') ?? [];
  return call<Record<string, unknown>>(name, JSON.parse(given) as Arguments);
}
async function refusal(name: string, given: Arguments) {
  const answer = await caller().call(name, given);
  expect(answer.isError).toBe(true);
  return answer.structuredContent?.['error'] as { code: string; message: string; hint: string };
}

describe('search_runs', () => {
  interface FoundRuns {
    hits: { id: string; matches: { path: string; text: string }[] }[];
    next: string[];
    next_cursor?: string;
    has_more: boolean;
  }
  const search = (given: Arguments) => call<FoundRuns>('search_runs', { project_name, ...given });

  test('when words are found, then the path says where they stand, and get_run reads it', async () => {
    const { hits, next } = await search({ query: 'Invoice 4711' });
    expect(hits).toEqual([expect.objectContaining({ id: invoice, trace_id: invoice, status: 'success' })]);
    const [match] = hits[0]?.matches ?? [];
    expect(match?.path).toBe('outputs.messages[0].content');
    expect(match?.text).toMatch(/^….*before the invoice 4711 is overdue after.*…$/);
    expect(await follow(next.slice(1))).toMatchObject({ value: expect.stringMatching(/^before/) as string });
    expect(await follow(next)).toMatchObject({ trace_id: invoice, run_count: 1 });
  });

  test.each<[string, Arguments, number]>([
    ['beginnings of words', { query: 'inv stor' }, 3],
    ['with a filter', { query: 'invoice', filter: 'eq(name, "lookup") # a comment' }, 3],
    ['roots with an error', { query: 'invoice', is_root: true, error: true }, 1],
    ['what looks like a filter', { query: '") or eq(name, "lookup' }, 0],
    ['nothing', { query: 'zebra' }, 0],
  ])('when something is looked for, then it finds %s', async (_what, given, count) => {
    expect((await search(given)).hits).toHaveLength(count);
  });

  test('when there are more hits, then it goes on at the cursor', async () => {
    const ids = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < 4; page += 1) {
      const found = await search({ query: 'invoice', limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      for (const { id } of found.hits) ids.add(id);
      expect(found.has_more).toBe(found.next_cursor !== undefined);
      cursor = found.next_cursor;
    }
    expect(ids.size).toBe(4);
    expect(cursor).toBeUndefined();
  });

  test('when a filter is wrong, then the place in the filter that was given is told', async () => {
    const fault = await refusal('search_runs', { project_name, query: 'invoice', filter: 'eq(nam, "x")' });
    expect(fault).toMatchObject({
      code: 'invalid_filter',
      message: expect.stringContaining('character 4') as string,
    });
    expect(fault.message).toContain('Did you mean `name`?');
  });
});

describe('get_run_stats', () => {
  interface Stats {
    stats?: { run_count: number; error_rate: number };
    groups?: { group: string; run_count: number; error_rate: number }[];
    has_more?: boolean;
    next: string[];
  }
  const stats = (given: Arguments) => call<Stats>('get_run_stats', { project_name, ...given });
  const lookups = { filter: 'eq(name, "lookup")' };

  test('when runs are summed up, then figures fit the filters and lead to what failed', async () => {
    const all = await stats(lookups);
    expect(all.stats).toMatchObject({ run_count: 5, error_rate: 0.6 });
    expect(await follow(all.next)).toMatchObject({
      groups: [{ group: 'lookup', run_count: 3, error_rate: 1 }],
    });
    expect(await follow(all.next.slice(1))).toMatchObject({ runs: [{}, {}, {}] });
    expect((await stats({ ...lookups, is_root: 'true', error: false })).stats).toMatchObject({
      run_count: 1,
    });
  });

  test.each<[string, Arguments, string, number]>([
    ['by name', { group_by: 'name', is_root: false }, 'lookup', 2],
    ['by run type', { ...lookups, group_by: 'run_type' }, 'tool', 3],
    ['by a key of metadata', { ...lookups, group_by: 'metadata', metadata_key: 'release' }, 'v 2', 3],
  ])(
    'when runs are summed up %s, then the next call reads what failed most',
    async (_what, given, group, count) => {
      const { groups, next } = await stats(given);
      expect(groups).toContainEqual(expect.objectContaining({ group }));
      const { runs } = (await follow(next)) as { runs: unknown[] };
      expect(runs.length).toBeGreaterThanOrEqual(Math.min(count, 2));
      expect(JSON.stringify(runs)).toContain('ConnectionError');
    },
  );

  test('when runs are grouped by tag, then any tag will do, and more groups are announced', async () => {
    expect((await stats({ group_by: 'tag' })).groups).toEqual([expect.objectContaining({ group: 'a "b"' })]);
    expect(await stats({ group_by: 'name', limit: 1 })).toMatchObject({ has_more: true, groups: [{}] });
  });

  test.each<[string, Arguments, string, RegExp]>([
    ['metadata without a key', { group_by: 'metadata' }, 'invalid_input', /belong together/],
    ['a key without metadata', { metadata_key: 'x' }, 'invalid_input', /belong together/],
    ['a filter that is none', { filter: 'eq(' }, 'invalid_filter', /character 4/],
    ['another group', { group_by: 'colour' }, 'invalid_input', /group_by must be one of/],
  ])('when it gets %s, then it refuses', async (_what, given, code, says) => {
    const fault = await refusal('get_run_stats', { project_name, ...given });
    expect(fault).toMatchObject({ code, message: expect.stringMatching(says) as string });
  });
});

describe('validate_filter', () => {
  test.each<[string, Arguments, object]>([
    ['one that is right', { filter: 'and(eq(run_type, "llm"), gt(latency, "3s"))' }, { valid: true }],
    [
      'one that fetch_runs takes',
      { filter: 'eq(is_root, true)' },
      { next: ['fetch_runs {"project_name":"PROJECT","filter":"eq(is_root, true)","limit":10}'] },
    ],
    [
      'a name that is none',
      { filter: 'and(\n eq(nam, "x"))' },
      {
        valid: false,
        position: 10,
        near: 'nam, "x"))',
        message: expect.stringContaining('there is no field `nam`') as string,
        suggestion: 'Did you mean `name`?',
      },
    ],
    ['one that has no end', { filter: 'eq(name, "x"' }, { valid: false, position: 13, near: '' }],
    ['one of examples', { filter: 'exists(metadata, "topic")', of: 'examples' }, { valid: true }],
    [
      'one of examples that is none',
      { filter: 'exits(metadata, "x")', of: 'examples' },
      { valid: false, position: 1 },
    ],
    ['one of projects', { filter: 'gt(run_count, 3)', of: 'projects' }, {}],
    ['one of projects that is none', { filter: 'gt(', of: 'projects' }, { valid: false, position: 4 }],
    ['one that is too long', { filter: `eq(name, "${'x'.repeat(11_000)}")` }, { valid: false }],
  ])('when a filter is %s, then it says what it is', async (_what, given, says) => {
    expect(await call('validate_filter', given)).toMatchObject(says);
  });
});

describe('list_threads', () => {
  interface Threads {
    threads: { thread_id: string; count: number }[];
    next: string[];
    has_more: boolean;
    next_cursor?: string;
  }
  const list = (given: Arguments = {}) => call<Threads>('list_threads', { project_name, ...given });

  test('when threads are listed, then those of the last days come, the most recently active first', async () => {
    const { threads, next, has_more } = await list();
    expect(threads.map(({ thread_id, count }) => [thread_id, count])).toEqual([
      ['t 3', 1],
      ['t"2', 1],
      ['t 1', 2],
    ]);
    expect(threads[0]).toMatchObject({ last_outputs: expect.stringContaining('answer') as string });
    expect(has_more).toBe(false);
    const { result } = (await follow(next)) as { result: { content: string }[] };
    expect(result.map(({ content }) => content)).toEqual(['question 200', 'answer']);
  });

  test('when the cursor is given, then the list goes on within the same time', async () => {
    const first = await list({ limit: 2 });
    expect(first.has_more).toBe(true);
    await fixture().send([said('t 4', 0)]);
    const rest = await list({ limit: 2, cursor: first.next_cursor });
    expect([...first.threads, ...rest.threads].map(({ thread_id }) => thread_id)).toEqual([
      't 3',
      't"2',
      't 1',
    ]);
    expect(await refusal('list_threads', { project_name, cursor: 'x' })).toMatchObject({
      code: 'invalid_input',
    });
  });

  test('when not all threads fit, then the list goes on after the last one that does', async () => {
    const session_name = 'many conversations';
    const ids = Array.from({ length: 90 }, (_, at) => `thread ${at} ${'i'.repeat(150)}`);
    await fixture().send(ids.map((id, at) => ({ ...said(id, at), session_name })));
    const found: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const answer = await list({ project_name: session_name, limit: 100, cursor });
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(25_000);
      found.push(...answer.threads.map(({ thread_id }) => thread_id));
      ({ has_more: more, next_cursor: cursor } = answer);
    }
    expect(found).toEqual(ids);
  });

  test.each<[string, Arguments, string[]]>([
    ['by a filter of its turns', { filter: 'eq(thread_id, "t\\"2")' }, ['t"2']],
    [
      'of an earlier time',
      { min_start_time: '2026-01-01T00:00:00Z', filter: 'neq(thread_id, "t 4")' },
      ['t 3', 't"2', 't 1', 'old'],
    ],
    ['none', { max_start_time: '2020-01-01T00:00:00Z', min_start_time: '2019-01-01T00:00:00Z' }, []],
  ])('when something is looked for, then it finds %s', async (_what, given, ids) => {
    expect((await list(given)).threads.map(({ thread_id }) => thread_id)).toEqual(ids);
  });
});
