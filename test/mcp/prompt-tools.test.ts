import { ChatPromptTemplate, MessagesPlaceholder, PromptTemplate } from '@langchain/core/prompts';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { answered, listed, recordsIn, refusal } from './answers.ts';
import { type Arguments, LATEST, startMcpFixture } from './mcp-fixture.ts';

/** Prompts as tools read them, over what the SDK pushed. */

let first_hash: string;
const prompt = (...messages: Parameters<typeof ChatPromptTemplate.fromMessages>[0]) =>
  ChatPromptTemplate.fromMessages(messages);

const fixture = useFixture(startMcpFixture);
const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));
beforeAll(async () => {
  await caller().listTools();
  const langsmith = fixture().langsmith();
  await langsmith.pushPrompt('greet', {
    object: prompt(['system', 'Be kind to {name}.']),
    description: 'Greets',
    tags: ['polite'],
  });
  const [{ commit_hash } = { commit_hash: '' }] = await all(langsmith.listCommits('greet'));
  first_hash = commit_hash;
  await langsmith.pushPrompt('greet', {
    object: prompt(
      ['system', 'Be very kind to {name}.'],
      new MessagesPlaceholder('history'),
      ['ai', 'Hello'],
      ['human', '{question}'],
    ),
  });
  await langsmith.pushPrompt('summary', { object: PromptTemplate.fromTemplate('Sum up {text}') });
  await langsmith.createPrompt('unwritten');
  await langsmith.pushPrompt('long', { object: prompt(['human', 'x'.repeat(50_000)]) });
  await langsmith.pushPrompt('shared', { object: prompt(['human', 'hi']), isPublic: true });
  const others = fixture().langsmith('another workspace');
  await others.pushPrompt('theirs', { object: prompt(['human', 'secret']) });
});

async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of iterable) items.push(item);
  return items;
}

describe('list_prompts', () => {
  test.each<[string, Arguments, readonly string[]]>([
    ['private ones unless asked', {}, ['long', 'unwritten', 'summary', 'greet']],
    ['private ones', { is_public: 'false' }, ['long', 'unwritten', 'summary', 'greet']],
    ['public ones', { is_public: true }, ['shared']],
    ['public ones, as a text', { is_public: 'TRUE' }, ['shared']],
    ['as many as asked', { limit: 2 }, ['long', 'unwritten']],
    ['the others', { limit: '2', offset: '2' }, ['summary', 'greet']],
    ['none beyond the last', { offset: 9 }, []],
  ])('when prompts are listed, then it gives %s', async (_what, given, names) => {
    expect(
      await listed(caller(), 'list_prompts', { key: 'prompts', member: 'repo_handle', ...given }),
    ).toEqual(names);
  });

  test('when prompts are listed, then all are counted, and what is known of each is shown', async () => {
    const page = await answered(caller(), 'list_prompts', { limit: 1, offset: 3 });
    expect(page).toMatchObject({ total_count: 4, has_more: false });
    expect(recordsIn(page, 'prompts')).toEqual([
      {
        repo_handle: 'greet',
        full_name: '-/greet',
        description: 'Greets',
        id: expect.any(String) as string,
        is_public: false,
        tags: ['polite'],
        owner: expect.any(String) as string,
        num_likes: 0,
        num_downloads: 0,
        num_views: 0,
        created_at: expect.stringMatching(/^\d{4}-/) as string,
        updated_at: expect.stringMatching(/^\d{4}-/) as string,
        num_commits: 2,
        last_commit_hash: expect.any(String) as string,
        commit_tags: [],
      },
    ]);
    expect(await answered(caller(), 'list_prompts', { limit: 1 })).toMatchObject({
      total_count: 4,
      has_more: true,
      next_offset: 1,
    });
  });
});

describe('get_prompt_by_name', () => {
  const newest = {
    type: 'ChatPromptTemplate',
    messages: [
      expect.objectContaining({ role: 'system', content: 'Be very kind to {name}.' }) as object,
      expect.objectContaining({ role: 'placeholder', variable_name: 'history' }) as object,
      expect.objectContaining({ role: 'ai', content: 'Hello' }) as object,
      expect.objectContaining({ role: 'human', content: '{question}' }) as object,
    ],
    input_variables: expect.arrayContaining(['name', 'history', 'question']) as string[],
  };
  const oldest = { messages: [{ role: 'system', content: 'Be kind to {name}.' }] };

  test.each<[string, () => string, object]>([
    ['its name', () => 'greet', newest],
    ['its owner and name', () => '-/greet', newest],
    ['the newest version', () => 'greet:latest', newest],
    ['a version', () => `greet:${first_hash}`, oldest],
    ['the beginning of one', () => ` -/greet:${first_hash.slice(0, 8)} `, oldest],
    ['the name of a text', () => 'summary', { type: 'PromptTemplate', template: 'Sum up {text}' }],
  ])('when the call goes by %s, then it finds what fits', async (_what, name, template) => {
    const { prompt: read } = await answered(caller(), 'get_prompt_by_name', { prompt_name: name() });
    expect(read).toMatchObject({ commit_hash: expect.any(String) as string, template });
  });

  test('when a prompt is read, then its details come too, and it counts as a look at it', async () => {
    const { prompt: read } = await answered(caller(), 'get_prompt_by_name', { prompt_name: 'greet' });
    expect(read).toMatchObject({
      full_name: '-/greet',
      description: 'Greets',
      tags: ['polite'],
      num_commits: 2,
    });
    const { prompt: again } = await answered(caller(), 'get_prompt_by_name', { prompt_name: 'greet' });
    expect(again).toMatchObject({ num_downloads: 0 });
    const views = (one: unknown) => (one as { num_views: number }).num_views;
    expect(views(again)).toBeGreaterThan(views(read));
  });

  test('when a prompt has no version yet, then only its details come', async () => {
    const { prompt: read } = await answered(caller(), 'get_prompt_by_name', { prompt_name: 'unwritten' });
    expect(read).toMatchObject({ repo_handle: 'unwritten', num_commits: 0 });
    expect(read).not.toHaveProperty('template');
  });

  test('when a prompt is long, then it is cut, says so and links to the whole', async () => {
    const { structuredContent, content } = await caller().call('get_prompt_by_name', { prompt_name: 'long' });
    expect(structuredContent).toMatchObject({ truncated_fields: 1, prompt: { repo_handle: 'long' } });
    expect(content?.[0]?.text?.length).toBeLessThanOrEqual(25_000);
    expect(content?.[1]).toMatchObject({ type: 'resource_link', uri: 'roadstead://prompts/long' });
  });
});

test.each<[string, string, Arguments, string, RegExp]>([
  ['no boolean', 'list_prompts', { is_public: 'both' }, 'invalid_input', /is_public/],
  ['no limit', 'list_prompts', { limit: 0 }, 'invalid_input', /limit/],
  ['no name', 'get_prompt_by_name', {}, 'invalid_input', /prompt_name is required/],
  ['an empty name', 'get_prompt_by_name', { prompt_name: '' }, 'invalid_input', /prompt_name/],
  ['no name of a prompt', 'get_prompt_by_name', { prompt_name: 'a/b/c' }, 'invalid_input', /prompt_name/],
  ['a way up', 'get_prompt_by_name', { prompt_name: '../sessions' }, 'not_found', /prompt_name/],
  ['a version that is one', 'get_prompt_by_name', { prompt_name: 'greet:..' }, 'not_found', /version/],
  ['an unknown name', 'get_prompt_by_name', { prompt_name: 'none' }, 'not_found', /prompt_name/],
  ['an unknown version', 'get_prompt_by_name', { prompt_name: 'greet:none' }, 'not_found', /version/],
  ['an unknown owner', 'get_prompt_by_name', { prompt_name: 'nobody/greet' }, 'not_found', /prompt_name/],
  ['a prompt of others', 'get_prompt_by_name', { prompt_name: 'theirs' }, 'not_found', /prompt_name/],
])('when the call has %s, then it is refused by %s', async (_what, name, given, code, says) => {
  expect(await caller().call(name, given)).toMatchObject(refusal(code, says));
});
