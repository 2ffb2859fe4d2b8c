import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';

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

/** Answers beside the page, as somebody else would. */
const resume = (thread_id: string, answer: string) =>
  api(`${AGENT}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    body: { assistant_id: 'agent', command: { resume: answer } },
  });

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

test('when somebody else answers what is open, then what was typed stays where it was', async () => {
  const [first, second] = [amount(), amount()];
  const threads = [await waitingThread(first), await waitingThread(second)];
  const page = await signedIn('/console/inbox?agent=approval-agent');
  const question = page.getByRole('region', { name: 'Question' });
  // The first one that is shown is in the address, so that it stays.
  await expect.poll(() => new URL(page.url()).searchParams.get('thread')).toMatch(/./);
  await page.clock.install();
  await page.goto(`${platform.url}/console/inbox?agent=approval-agent&thread=${threads[0]}`);
  await question.getByText(`Shall I refund ${first} euros?`).waitFor();
  await question.getByLabel('Your answer').fill('no, since');
  await resume(threads[0] ?? '', 'no');
  await page.clock.fastForward(61_000);
  const note = page.getByText('It waits no longer');
  await note.waitFor();
  expect(await question.getByLabel('Your answer').inputValue()).toBe('no, since');
  await question.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect.poll(() => note.count()).toBe(2);
  await page.getByRole('link', { name: new RegExp(`Shall I refund ${second} euros`) }).click();
  await question.getByText(`Shall I refund ${second} euros?`).waitFor();
  await resume(threads[1] ?? '', 'no');
  await page.getByRole('link', { name: 'Home' }).first().click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});
