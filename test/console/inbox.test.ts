import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';

const { signedIn } = useConsole();

interface Thread {
  readonly thread_id: string;
  readonly status: string;
  readonly values: { readonly messages: readonly { readonly content: string }[] };
}

const AGENT = '/agents/approval-agent';

/** A thread that waits: the agent asks before it refunds. */
async function waitingThread(euros: number): Promise<string> {
  const { thread_id } = await api<Thread>(`${AGENT}/threads`, { method: 'POST', body: {} });
  await api(`${AGENT}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    body: {
      assistant_id: 'agent',
      input: { messages: [{ role: 'user', content: `Refund ${euros} euros` }] },
    },
  });
  return thread_id;
}

const lastWords = async (thread_id: string) =>
  (await api<Thread>(`${AGENT}/threads/${thread_id}`)).values.messages.at(-1)?.content;

const amount = () => 1000 + Math.floor(Math.random() * 1_000_000);

test('when threads wait, then they are answered by keyboard, one after the other', async () => {
  const [first, second] = [amount(), amount()];
  const threads = [await waitingThread(first), await waitingThread(second)];
  const page = await signedIn(`/console/inbox?agent=approval-agent&thread=${threads[0]}`);
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByText(`Shall I refund ${first} euros?`).waitFor();
  await lookAt(page, 'inbox');
  await page.keyboard.press('j');
  await question.getByText(`Shall I refund ${second} euros?`).waitFor();
  await page.keyboard.press('k');
  await question.getByText(`Shall I refund ${first} euros?`).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('yes');
  await page.keyboard.press('Enter');
  await expect.poll(() => lastWords(threads[0] ?? '')).toBe(`Done: ${first} euros are on their way.`);
  await question.getByText(`Shall I refund ${second} euros?`).waitFor();
  await question.getByRole('button', { name: 'Answer with JSON' }).click();
  await question.getByLabel('Your answer as JSON').fill('"no"');
  await question.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect.poll(() => lastWords(threads[1] ?? '')).toBe('I left it: nothing was refunded.');
});
