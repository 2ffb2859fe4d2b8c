import { load } from '@langchain/core/load';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { expect, test } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Prompts through the SDK where it has a call, and with LangChain's own objects. */

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());

const sdk = (workspace_id = WORKSPACE) =>
  new Client({
    apiUrl: `${http().url}/api/v1`,
    apiKey: `key-${workspace_id}`,
    callerOptions: { maxRetries: 0 },
    disablePromptCache: true,
  });
const nameOf = (what: string) => `${what}-${crypto.randomUUID()}`;
const template = (question: string) =>
  ChatPromptTemplate.fromMessages(
    [
      ['system', 'Answer briefly.'],
      ['human', question],
    ],
    { templateFormat: 'mustache' },
  );

async function ask(path: string, init: RequestInit & { readonly workspace_id?: string } = {}) {
  const answer = await fixture().send(path, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  return { status: answer.status, text: await answer.text() };
}
const json = async (path: string, init: Parameters<typeof ask>[1] = {}) => {
  const { status, text } = await ask(path, init);
  expect([status < 300, path, text]).toEqual([true, path, text]);
  return JSON.parse(text);
};
const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
const manifest = (kwargs: object = {}) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs,
});

test('when a LangChain prompt is pushed, then each of its commits can be pulled and loaded', async () => {
  const client = sdk();
  const name = nameOf('greeting');
  const url = await client.pushPrompt(name, {
    object: template('{{question}}'),
    tags: ['a'],
    readme: 'Read me',
  });
  expect(url).toMatch(new RegExp(`/prompts/${name}/[0-9a-f]{8}\\?organizationId=${WORKSPACE}$`));
  await client.pushPrompt(name, {
    object: template('Once more: {{question}}'),
    commitTags: ['better', 'v2'],
  });
  const pulled = async (ref: string) => {
    const prompt = await load<ChatPromptTemplate>(await client._pullPrompt(name + ref));
    return (await prompt.invoke({ question: 'who?' })).toChatMessages().map(({ content }) => content);
  };
  const { commits } = (await json(`/commits/-/${name}/`)) as {
    commits: { commit_hash: string; id: string }[];
  };
  expect(commits.map(({ commit_hash }) => commit_hash)).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
  const [newest, oldest] = commits.map(({ commit_hash }) => commit_hash);
  for (const ref of ['', ':latest', ':better', ':v2', `:${newest}`, `:${newest?.slice(0, 8)}`])
    expect([ref, await pulled(ref)]).toEqual([ref, ['Answer briefly.', 'Once more: who?']]);
  expect(await pulled(`:${oldest}`)).toEqual(['Answer briefly.', 'who?']);
  await expect(pulled(':nowhere')).rejects.toMatchObject({ status: 404 });
  expect(await client.getPrompt(name)).toMatchObject({
    num_commits: 2,
    last_commit_hash: newest,
    commit_tags: ['better', 'v2'],
    readme: 'Read me',
    tags: ['a'],
    full_name: `-/${name}`,
  });
});

test('when a manifest is pushed, then it comes back byte for byte', async () => {
  const name = nameOf('verbatim');
  await json('/repos', post({ repo_handle: name, is_public: false }));
  const sent = String.raw`{ "kwargs": {"n": 12345678901234567890, "x": 1.0, "nul": "\u0000", "half": "\ud800"},
    "type":"constructor", "lc":1, "id":["langchain","prompts","prompt","PromptTemplate"] }`;
  const written = await ask(`/commits/-/${name}`, {
    method: 'POST',
    body: `{"manifest":${sent},"parent_commit":null}`,
  });
  expect(written.status).toBe(201);
  expect(written.text).toContain(`"manifest":${sent}`);
  expect((await ask(`/commits/-/${name}/latest`)).text).toContain(`"manifest":${sent}`);
  expect((await ask(`/repos?query=${name}&with_latest_manifest=true`)).text).toContain(`"manifest":${sent}`);
});

test('when a commit does not follow the newest or changes nothing, then it is a conflict', async () => {
  const name = nameOf('history');
  await json('/repos', post({ repo_handle: name, is_public: false }));
  const commit = (kwargs: object, parent_commit?: string | null) =>
    ask(`/commits/-/${name}`, post({ manifest: manifest(kwargs), parent_commit }));
  const first = JSON.parse((await commit({ template: 'a' })).text).commit;
  expect(first).toMatchObject({ parent_commit_hash: null, parent_id: null });
  const second = JSON.parse((await commit({ template: 'b' }, first.commit_hash.slice(0, 8))).text).commit;
  expect(second).toMatchObject({ parent_commit_hash: first.commit_hash, parent_id: first.id });
  expect(await commit({ template: 'c' }, first.commit_hash)).toMatchObject({
    status: 409,
    text: expect.stringContaining('not the latest'),
  });
  expect(await commit({ template: 'b' }, second.commit_hash)).toMatchObject({ status: 409 });
  // A return to an earlier manifest is a change.
  const third = JSON.parse((await commit({ template: 'a' })).text).commit;
  expect(third.commit_hash).not.toBe(first.commit_hash);
  const racing = await Promise.all(
    ['x', 'y', 'z'].map((text) => commit({ template: text }, third.commit_hash)),
  );
  expect(racing.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
});

test.each([
  [{ hi: 'hello' }, 400, 'Manifest must have an id field'],
  [{ id: ['hi'] }, 400, 'Manifest type hi is not supported'],
  [{ id: ['os', 'path', 'join'] }, 400, 'Manifest type join is not supported'],
  [undefined, 422, 'is required'],
])('when LangChain did not write the manifest %j, then it is refused', async (bad, status, words) => {
  const name = nameOf('bad');
  await json('/repos', post({ repo_handle: name, is_public: false }));
  const refused = await ask(`/commits/-/${name}`, post({ manifest: bad }));
  expect(refused).toEqual({ status, text: expect.stringContaining(words) });
  expect(await json(`/commits/-/${name}`)).toEqual({ commits: [], total: 0 });
});

test('when a prompt has a model, then it is pulled alone, or with the model', async () => {
  const name = nameOf('with-model');
  await json('/repos', post({ repo_handle: name, is_public: false }));
  const first = manifest({ template: 'hi' });
  const model = { lc: 1, type: 'constructor', id: ['langchain', 'chat_models', 'openai', 'ChatOpenAI'] };
  const both = {
    lc: 1,
    type: 'constructor',
    id: ['langsmith', 'playground', 'PromptPlayground'],
    kwargs: {
      first,
      last: {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'runnable', 'RunnableBinding'],
        kwargs: { bound: { ...model, kwargs: { temperature: 0 } }, kwargs: {} },
      },
    },
  };
  await json(`/commits/-/${name}`, post({ manifest: both }));
  expect(await json(`/commits/-/${name}/latest`)).toMatchObject({
    manifest: first,
    model_config: null,
    model_provider: null,
  });
  expect(await json(`/commits/-/${name}/latest?include_model=true`)).toMatchObject({
    manifest: { ...both, id: ['langchain', 'schema', 'runnable', 'RunnableSequence'] },
    model_config: { temperature: 0 },
    model_provider: 'ChatOpenAI',
  });
});

test('when a prompt is downloaded, viewed or liked, then that is counted', async () => {
  const name = nameOf('counted');
  const client = sdk();
  await client.pushPrompt(name, { object: template('x') });
  await Promise.all([1, 2, 3].map(() => json(`/commits/-/${name}/latest`)));
  await json(`/commits/-/${name}/latest?is_view=true`);
  expect(await client.getPrompt(name)).toMatchObject({ num_downloads: 3, num_views: 1 });
  expect((await json(`/commits/-/${name}`)).commits).toMatchObject([{ num_downloads: 3, num_views: 1 }]);
  expect(await client.likePrompt(name)).toEqual({ likes: 1 });
  expect(await client.likePrompt(name)).toEqual({ likes: 1 });
  expect(await client.getPrompt(name)).toMatchObject({ num_likes: 1, liked_by_auth_user: true });
  expect(await client.unlikePrompt(name)).toEqual({ likes: 0 });
});

test('when a tag moves to another commit, then its history tells where it stood', async () => {
  const name = nameOf('named');
  const client = sdk();
  for (const text of ['a', 'b']) await client.pushPrompt(name, { object: template(text) });
  const [newest, oldest] = (await json(`/commits/-/${name}`)).commits;
  const tags = `/repos/-/${name}/tags`;
  const made = await json(tags, post({ tag_name: 'production', commit_id: oldest.id }));
  expect(made).toMatchObject({ commit_hash: oldest.commit_hash, tag_name: 'production' });
  const moved = await json(`${tags}/production`, {
    ...post({ commit_id: newest.id }),
    method: 'PATCH',
  });
  expect(moved).toMatchObject({ id: made.id, commit_hash: newest.commit_hash });
  expect(await json(tags)).toEqual([moved]);
  expect(await json(`/commits/-/${name}?tag=production`)).toMatchObject({
    total: 1,
    commits: [{ id: newest.id }],
  });
  for (const [path, init] of [
    [tags, post({ tag_name: 'latest', commit_id: newest.id })],
    [tags, post({ tag_name: 'other', commit_id: crypto.randomUUID() })],
    [`${tags}/unknown`, { ...post({ commit_id: newest.id }), method: 'PATCH' }],
  ] as const)
    expect([404, 422]).toContain((await ask(path, init)).status);
  await json(`${tags}/production`, { method: 'DELETE' });
  expect((await ask(`${tags}/production`)).status).toBe(404);
  expect(await json(`${tags}/production/history`)).toMatchObject({
    total: 3,
    transitions: [
      { from_commit_id: newest.id, to_commit_id: null },
      { from_commit_id: oldest.id, to_commit_id: newest.id },
      { from_commit_id: null, to_commit_id: oldest.id, to_commit_hash: oldest.commit_hash },
    ],
  });
});

test('when prompts are listed, then they are filtered, sorted and counted', async () => {
  const word = nameOf('listed');
  const make = (suffix: string, more: object) =>
    json('/repos', post({ repo_handle: `${word}-${suffix}`, is_public: false, ...more }));
  await make('a', { tags: ['x', 'y'], description: 'The first one' });
  await make('b', { tags: ['x'] });
  await make('c', { repo_type: 'agent' });
  await json(`/repos/-/${word}-b`, { method: 'PATCH', body: JSON.stringify({ is_archived: true }) });
  await json(`/commits/-/${word}-a`, post({ manifest: manifest() }));
  const listed = async (query: string) => {
    const { repos, total } = await json(`/repos?query=${word}&${query}`);
    return [
      repos.map((one: { repo_handle: string }) => one.repo_handle.slice(word.length + 1)).join(''),
      total,
    ];
  };
  expect(await listed('')).toEqual(['ac', 2]);
  expect(await listed('is_archived=true')).toEqual(['b', 1]);
  expect(await listed('is_archived=allow&sort_direction=asc')).toEqual(['cba', 3]);
  expect(await listed('is_archived=allow&limit=1&offset=1')).toEqual(['b', 3]);
  expect(await listed('is_archived=allow&limit=1&offset=9')).toEqual(['', 3]);
  expect(await listed('is_archived=allow&tags=x')).toEqual(['ab', 2]);
  expect(await listed('is_archived=allow&tags=x&tags=y')).toEqual(['a', 1]);
  expect(await listed('has_commits=true')).toEqual(['a', 1]);
  expect(await listed('repo_type=agent')).toEqual(['c', 1]);
  expect(await listed('is_public=true')).toEqual(['', 0]);
  expect((await json(`/repos?query=The%20FIRST`)).repos).toMatchObject([{ repo_handle: `${word}-a` }]);
  expect(await json(`/repos/tags?query=${word}&is_archived=allow`)).toEqual({
    tags: [
      { tag: 'x', count: 2 },
      { tag: 'y', count: 1 },
    ],
  });
});

test('when a prompt is public, then others see, pull and fork it, and only its owner changes it', async () => {
  const name = nameOf('public');
  const ours = sdk();
  const theirs = sdk(OTHER_WORKSPACE);
  const { tenant_handle } = await json('/settings/handle', post({ tenant_handle: nameOf('acme') }));
  await ours.pushPrompt(name, { object: template('{{x}}') });
  const full = `${tenant_handle}/${name}`;
  expect(await theirs.getPrompt(full)).toBeNull();
  await ours.updatePrompt(name, { isPublic: true });
  expect(await theirs.getPrompt(full)).toMatchObject({ full_name: full, tenant_id: WORKSPACE });
  const pulled = await theirs.pullPromptCommit(full, { dangerouslyPullPublicPrompt: true });
  expect(pulled.manifest).toEqual((await ours.pullPromptCommit(name)).manifest);
  const listed = async (query: string, workspace_id: string) =>
    (await json(`/repos?query=${name}&${query}`, { workspace_id })).total;
  expect(await listed('is_public=true', OTHER_WORKSPACE)).toBe(1);
  expect(await listed('', OTHER_WORKSPACE)).toBe(0);
  const as = { workspace_id: OTHER_WORKSPACE };
  const change = { ...as, method: 'PATCH', body: JSON.stringify({ description: 'theirs' }) };
  expect((await ask(`/repos/${full}`, change)).status).toBe(403);
  expect((await ask(`/repos/${full}`, { ...as, method: 'DELETE' })).status).toBe(403);
  const { repo } = await json(`/repos/${full}/fork`, { ...post({ repo_handle: 'forked' }), ...as });
  expect(repo).toMatchObject({
    tenant_id: OTHER_WORKSPACE,
    upstream_repo_full_name: full,
    original_repo_full_name: full,
    num_commits: 1,
    is_public: false,
  });
  expect((await theirs.pullPromptCommit('forked')).commit_hash).toBe(pulled.commit_hash);
  expect((await ask(`/repos/${full}/fork`, { ...post({ repo_handle: 'forked' }), ...as })).status).toBe(409);
  const { id } = (await json(`/repos/-/${name}`)).repo;
  await json(`/repos?repo_ids=${id}`, { ...as, method: 'DELETE' });
  await ours.deletePrompt(name);
  expect(await ours.promptExists(name)).toBe(false);
  expect((await json('/repos/-/forked', as)).repo).toMatchObject({ upstream_repo_id: null, num_commits: 1 });
});

test('when the operator does not share, then nothing can be made public', async () => {
  await using closed = await startFixture({ public_sharing: false });
  const body = JSON.stringify({ repo_handle: 'mine', is_public: true });
  const refused = await closed.send('/repos', { method: 'POST', body });
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('ROADSTEAD_PUBLIC_SHARING'),
  ]);
});

test('when a name is taken in its workspace or not easy to type, then it is refused', async () => {
  const name = nameOf('taken');
  await json('/repos/', post({ repo_handle: name, is_public: false }));
  await json('/repos/', { ...post({ repo_handle: name, is_public: false }), workspace_id: OTHER_WORKSPACE });
  expect((await ask('/repos', post({ repo_handle: name, is_public: false }))).status).toBe(409);
  for (const bad of ['Upper', '9', 'a/b', 'a b', ''])
    expect((await ask('/repos', post({ repo_handle: bad, is_public: false }))).status).toBe(422);
  const handle = nameOf('workspace').replace('workspace-', 'h');
  await json('/settings/handle', { ...post({ tenant_handle: handle }), workspace_id: OTHER_WORKSPACE });
  expect((await ask('/settings/handle', post({ tenant_handle: handle }))).status).toBe(409);
  expect((await ask('/settings/handle', post({ tenant_handle: 'workspace-1' }))).status).toBe(422);
});
