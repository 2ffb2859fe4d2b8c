import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { api, useConsole } from './support/console.ts';

/** Buttons of a conversation that other stories leave to keys. */

const { signedIn } = useConsole();
const threads = '/agents/support-agent/threads';

test('when a message is sent by its button, then the thread has it, and is deleted beside it', async () => {
  const name = `Ada${randomUUID().replaceAll(/[^a-f]/g, '')}`;
  const page = await signedIn('/console/talk/support-agent');
  await page.getByRole('textbox', { name: 'Message' }).fill(`My name is ${name}`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(`Nice to meet you, ${name}. How can I help?`).waitFor();
  const thread_id = new URL(page.url()).searchParams.get('thread') ?? '';
  expect(await api(`${threads}/${thread_id}`)).toMatchObject({ values: { messages: [{}, {}] } });
  await page.getByRole('button', { name: `Delete My name is ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect(api(`${threads}/${thread_id}`)).rejects.toThrow('404');
});
