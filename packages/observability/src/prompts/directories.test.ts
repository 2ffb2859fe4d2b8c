import { useFixture } from '@roadstead/testing';
import { Client } from 'langsmith';
import { expect, test } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

/** Agents and skills through the SDK. */

const fixture = useFixture(startFixture);
const http = useFixture(() => fixture().listen());
const client = useFixture(
  () => new Client({ apiUrl: http().url, apiKey: `key-${WORKSPACE}`, callerOptions: { maxRetries: 0 } }),
);

const file = (content: string) => ({ type: 'file' as const, content });
const identifier = () => `-/helper-${crypto.randomUUID()}`;

test('when entries are pushed, then they replace those of their path, and each commit is read', async () => {
  const name = identifier();
  const link = { type: 'skill' as const, repo_handle: 'other' };
  await client().pushAgent(name, {
    files: { 'AGENTS.md': file('one'), 'sub/tools.json': file('{"a": 1}'), 'skills/other': link },
    description: 'an agent',
  });
  const first = await client().pullAgent(name);
  expect(first).toEqual({
    commit_id: expect.any(String),
    commit_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    files: { 'AGENTS.md': file('one'), 'sub/tools.json': file('{"a": 1}'), 'skills/other': link },
  });
  await client().pushAgent(name, { files: { 'AGENTS.md': file('two'), 'sub/tools.json': null } });
  const second = await client().pullAgent(name);
  expect(second.files).toEqual({ 'AGENTS.md': file('two'), 'skills/other': link });
  expect(await client().pullAgent(name, { version: first.commit_hash.slice(0, 8) })).toEqual(first);
  const stale = client().pushAgent(name, {
    files: { 'AGENTS.md': file('three') },
    parentCommit: first.commit_hash,
  });
  await expect(stale).rejects.toMatchObject({ status: 409 });
  await client().deleteAgent(name);
  expect(await client().agentExists(name)).toBe(false);
  await expect(client().pullAgent(name)).rejects.toMatchObject({ status: 404 });
});

test('when a folder is of another kind or another workspace’s, then it is not found', async () => {
  const name = identifier();
  await client().pushAgent(name, { files: { 'AGENTS.md': file('x') } });
  await expect(client().pullSkill(name)).rejects.toMatchObject({ status: 404 });
  const path = `/v1/platform/hub/repos/${name}/directories`;
  expect((await fixture().send(path, { workspace_id: OTHER_WORKSPACE })).status).toBe(404);
  const body = JSON.stringify({ manifest: { lc: 1, id: ['langchain', 'PromptTemplate'] } });
  expect((await fixture().send(`/commits/${name}`, { method: 'POST', body })).status).toBe(400);
  const prompt = identifier().slice(2);
  await client().createPrompt(prompt);
  expect((await fixture().send(`/v1/platform/hub/repos/-/${prompt}/directories`)).status).toBe(404);
});

test.each(['/etc/passwd', '../up', 'a/../b', 'a//b', 'a\\b', '', './a', 'a/'])(
  'when the path is %j, then it is refused',
  async (path) => {
    const name = identifier();
    await client().pushAgent(name, { files: { kept: file('x') } });
    const answer = await fixture().send(`/v1/platform/hub/repos/${name}/directories/commits`, {
      method: 'POST',
      body: JSON.stringify({ files: { [path]: file('y') } }),
    });
    expect(answer.status).toBe(422);
  },
);
