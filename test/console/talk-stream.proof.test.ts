import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../support/platform.ts';
import { api, platform, useConsole } from './support/console.ts';

/** A run that streams goes on while its page is reloaded. */

const { signedIn } = useConsole();

/** An agent that repeats what it was told, letter by letter. */
const unhurried = useFixture(async () => {
  const name = `unhurried-${randomUUID().slice(0, 8)}`;
  const folder = fileURLToPath(new URL('../agents/unhurried', import.meta.url));
  const { code, stderr } = await runCommand(['deploy', folder, '--name', name], {
    ...process.env,
    ROADSTEAD_URL: platform.url,
    ROADSTEAD_API_KEY: platform.key,
  });
  if (code !== 0) throw new Error(stderr);
  const find = `/v2/deployments?name=${name}`;
  const [made] = (await api<{ resources: readonly { id: string }[] }>(find)).resources;
  const remove = () => api<void>(`/v2/deployments/${made?.id ?? ''}`, { method: 'DELETE' });
  return { name, [Symbol.asyncDispose]: remove };
});

interface Run {
  readonly run_id: string;
  readonly status: string;
}

const WORDS = 'The harbour is quiet tonight, and the boats lie still beside the quay. '.repeat(4);

test('when a page is reloaded while a run streams, then it goes on with the same stream', async () => {
  const { name } = unhurried();
  const page = await signedIn(`/console/talk/${name}`);
  await page.getByRole('textbox', { name: 'Message' }).fill(WORDS);
  await page.keyboard.press('Enter');
  const answer = page.getByRole('article', { name: 'Agent' });
  await answer.getByText(/heard: The harbour/).waitFor();
  const thread_id = new URL(page.url()).searchParams.get('thread') ?? '';
  const runs = () => api<Run[]>(`/agents/${name}/threads/${thread_id}/runs`);
  const joined = page.waitForRequest((request) => /\/runs\/[^/]+\/stream$/.test(request.url()));
  await page.reload();
  expect((await joined).method()).toBe('GET');
  // What came before is there again, and more comes.
  await answer.getByText(/heard: The harbour/).waitFor();
  const before = (await answer.innerText()).length;
  await expect.poll(async () => (await answer.innerText()).length).toBeGreaterThan(before);
  expect(await runs()).toMatchObject([{ status: 'running' }]);
  await page.getByText('Running …').or(page.getByText('answer …')).waitFor({ state: 'detached' });
  await answer.getByText(/lie still beside the quay\.\s*$/).waitFor();
  const { values } = await api<{ values: { messages: { content: string }[] } }>(
    `/agents/${name}/threads/${thread_id}/state`,
  );
  expect(values.messages.map(({ content }) => content)).toEqual([WORDS, `heard: ${WORDS}`]);
  expect(await runs()).toMatchObject([{ status: 'success' }]);
});
