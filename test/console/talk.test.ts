import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';

const { signedIn } = useConsole();

interface Thread {
  readonly thread_id: string;
  readonly status: string;
  readonly values: { readonly messages: readonly { readonly type: string; readonly content: unknown }[] };
  readonly next: readonly string[];
}

const SUPPORT = '/agents/support-agent';
const stateOf = (thread_id: string) => api<Thread>(`${SUPPORT}/threads/${thread_id}/state`);
const threadIn = (address: string) => new URL(address).searchParams.get('thread') ?? '';

test('when somebody writes to an agent, then its answer, its tools and its steps are there', async () => {
  const page = await signedIn('/console/talk/support-agent');
  await page.getByRole('textbox', { name: 'Message' }).fill('Where is order 1042?');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Call of look_up_order' }).getByText('answered').waitFor();
  await page.getByText('I looked it up: order 1042 is out for delivery.').waitFor();
  const thread_id = threadIn(page.url());
  await expect.poll(async () => (await stateOf(thread_id)).values.messages.length).toBe(4);
  await page.reload();
  await page.getByText('I looked it up: order 1042 is out for delivery.').waitFor();
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.getByRole('img', { name: 'model' }).waitFor();
  await lookAt(page, 'talk');
});
