import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';
import { makeDataset, makeProject, runsThere, sendRun } from './support/experiments.ts';

const { signedIn } = useConsole();
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

const queuesNamed = (name: string) =>
  api<{ id: string; total_runs: number }[]>(`/annotation-queues?name=${encodeURIComponent(name)}`);
const countOf = async (queue: string, status: string) =>
  (await api<{ count: number }>(`/v1/platform/annotation-queues/${queue}/items/count?status=${status}`))
    .count;

interface GivenFeedback {
  readonly key: string;
  readonly score: number | null;
  readonly value: unknown;
  readonly comment: string | null;
  readonly correction: unknown;
}
const feedbackOn = (run: string) => api<GivenFeedback[]>(`/feedback?run=${run}`);

/** A queue with a rubric and so many runs, in the order in which they wait. */
async function madeQueue(more: object, questions: readonly string[]) {
  const project = await makeProject(unique('answers'));
  const runs: string[] = [];
  for (const question of questions)
    runs.push(
      await sendRun({
        session_id: project.id,
        inputs: { messages: [{ role: 'user', content: question }] },
        outputs: { answer: `About ${question}` },
      }),
    );
  await runsThere(project.id, questions.length);
  const name = unique('reviewed');
  const { id } = await api<{ id: string }>('/annotation-queues', { method: 'POST', body: { name, ...more } });
  for (const run of runs) await api(`/annotation-queues/${id}/runs`, { method: 'POST', body: [run] });
  return { id, name, runs, project: project.id };
}

/** Waits until a run is shown and can be answered. */
async function shown(page: Page, words: string): Promise<void> {
  await page.getByRole('region', { name: 'What is reviewed' }).getByText(words, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Done (d)' }).waitFor();
}

const choose = async (page: Page, menu: string, item: string) => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test('when a queue is made with questions, changed, filled and deleted, then the API agrees', async () => {
  const { project } = await madeQueue({}, ['one', 'two']);
  const { name: projectName } = await api<{ name: string }>(`/sessions/${project}`);
  const [name, key, renamed] = [unique('support'), unique('tone'), unique('manner')];
  const page = await signedIn('/console/queues');
  await page.getByRole('button', { name: 'New queue' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Instructions for reviewers').fill('Would they ask **again**?');
  await page.getByRole('button', { name: 'Add a question' }).click();
  const question = page.getByRole('group', { name: 'Question 1' });
  await question.getByLabel('Key').fill(key);
  await question.getByLabel('What is asked').fill('How friendly is it?');
  await question.getByLabel('Answer', { exact: true }).selectOption('categories');
  await question.getByLabel('Words').fill('rude, plain, kind');
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('Nothing to review').waitFor();
  const [queue] = await queuesNamed(name);
  const path = `/annotation-queues/${queue?.id ?? ''}`;
  expect(await api(path)).toMatchObject({
    rubric_items: [{ feedback_key: key, description: 'How friendly is it?', is_required: true }],
    rubric_instructions: 'Would they ask **again**?',
    enable_reservations: true,
  });
  const [config] = await api<object[]>(`/feedback-configs?key=${encodeURIComponent(key)}`);
  expect(config).toMatchObject({
    feedback_config: {
      type: 'categorical',
      categories: [{ value: 0, label: 'rude' }, {}, { label: 'kind' }],
    },
  });
  await choose(page, 'Actions on the queue', 'Change');
  await page.getByLabel('Description').fill('By two people');
  await page.getByLabel('Reviewers of each run').fill('2');
  await question.getByLabel('Key').fill(renamed);
  await question.getByLabel('Answer', { exact: true }).selectOption('categories');
  await question.getByLabel('Words').fill('rude, kind');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => api(path))
    .toMatchObject({
      description: 'By two people',
      num_reviewers_per_item: 2,
      rubric_items: [{ feedback_key: renamed }],
    });
  expect(await api(`/feedback-configs?key=${encodeURIComponent(renamed)}`)).toHaveLength(1);
  await page.getByRole('button', { name: 'Fill from a project' }).click();
  await page.getByLabel('Project', { exact: true }).selectOption({ label: projectName });
  await page.getByRole('button', { name: 'Put them in' }).click();
  await page.getByRole('button', { name: 'kind' }).waitFor();
  expect(await queuesNamed(name)).toMatchObject([{ total_runs: 2 }]);
  await page.getByRole('link', { name: 'Annotation queues' }).first().click();
  await page.getByLabel('Search queues').fill(name);
  await page.getByRole('row', { name: /By two people/ }).waitFor();
  await lookAt(page, 'queues');
  await choose(page, `Actions on ${name}`, 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No queue has this in its name').waitFor();
  expect(await queuesNamed(name)).toEqual([]);
});

test('when runs are reviewed by keyboard, then feedback, a correction and an example are kept', async () => {
  const dataset = await makeDataset(unique('kept'));
  const rubric_items = [
    { feedback_key: 'helpful', is_required: true },
    { feedback_key: 'stars', feedback_config: { type: 'continuous', min: 1, max: 5 } },
  ];
  const { id, runs } = await madeQueue({ rubric_items, default_dataset: dataset.id }, [
    'one',
    'two',
    'three',
  ]);
  const page = await signedIn(`/console/queues/${id}`);
  await shown(page, 'one');
  await page.keyboard.press('d');
  await page.getByRole('alert').filter({ hasText: 'Answer helpful first.' }).waitFor();
  await page.keyboard.press('2');
  await page.keyboard.press('4');
  await page.keyboard.press('c');
  await page.getByLabel('Comment (c)').fill('Too short');
  await page.getByLabel('Comment (c)').blur();
  await page.keyboard.press('e');
  const editor = page.getByRole('textbox', { name: 'Corrected outputs' });
  await editor.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"answer": "All about one"}');
  await lookAt(page, 'review');
  await page.getByRole('button', { name: 'Add to a dataset' }).click();
  await page.getByRole('button', { name: 'Add the example' }).click();
  await page.getByText(/Added an example to kept/).waitFor();
  await page.getByLabel('Comment (c)').press('Control+Enter');
  await shown(page, 'two');
  expect(await api(`/examples?dataset=${dataset.id}`)).toMatchObject([
    { source_run_id: runs[0], outputs: { answer: 'All about one' } },
  ]);
  const given = await feedbackOn(runs[0] ?? '');
  expect(given).toHaveLength(4);
  expect(Object.fromEntries(given.map((one) => [one.key, one]))).toMatchObject({
    helpful: { score: 0, value: 'bad' },
    stars: { score: 4 },
    note: { comment: 'Too short' },
    correction: { correction: { answer: 'All about one' } },
  });
  expect(await countOf(id, 'archived')).toBe(1);
  await page.keyboard.press('p');
  await shown(page, 'one');
  await page.getByRole('button', { name: /^bad/, pressed: true }).waitFor();
  await page.getByRole('button', { name: /^good/ }).click();
  await page.getByLabel('Comment (c)').fill('');
  await page.getByRole('button', { name: 'No correction' }).click();
  await page.getByRole('button', { name: 'Correct the outputs' }).click();
  await editor.and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'No correction' }).click();
  await page.getByRole('button', { name: 'Done (d)' }).click();
  await shown(page, 'two');
  const kept = new Map((await feedbackOn(runs[0] ?? '')).map(({ key, score }) => [key, score]));
  expect(kept).toEqual(
    new Map([
      ['helpful', 1],
      ['stars', 4],
    ]),
  );
  await page.keyboard.press('s');
  await shown(page, 'three');
  await page.keyboard.press('1');
  await page.keyboard.press('d');
  await shown(page, 'two');
  await page.keyboard.press('n');
  await page.getByText('Nothing to review').waitFor();
  await page.getByText(/2 of 3 done, 1 for you/).waitFor();
  await page.getByRole('button', { name: 'Show those that I passed by' }).click();
  await shown(page, 'two');
});

test('when a review is kept only in part, then the second attempt gives nothing twice', async () => {
  const { id, runs } = await madeQueue({ rubric_items: [{ feedback_key: 'helpful' }] }, ['one', 'two']);
  const page = await signedIn(`/console/queues/${id}`);
  await shown(page, 'one');
  await page.route(
    '**/feedback',
    async (route) => {
      const isNote = route.request().postData()?.includes('"note"') === true;
      await (isNote ? route.fulfill({ status: 500, json: { detail: 'Not now.' } }) : route.continue());
    },
    { times: 2 },
  );
  await page.keyboard.press('1');
  await page.getByLabel('Comment (c)').fill('Too short');
  await page.getByRole('button', { name: 'Done (d)' }).click();
  await page.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
  await page.getByRole('button', { name: 'Done (d)' }).click();
  await shown(page, 'two');
  expect((await feedbackOn(runs[0] ?? '')).map(({ key }) => key).toSorted()).toEqual(['helpful', 'note']);
  await page.getByRole('button', { name: 'Skip (s)' }).click();
  await page.getByText('Skipped: it comes again at the end.').waitFor();
  await shown(page, 'two');
});

test('when two people review at once, then they do not get the same run', async () => {
  const { id, runs } = await madeQueue({ reservation_minutes: 5 }, ['one', 'two', 'three']);
  const ben = await otherPerson();
  const waiting = () => ben.waitingRuns(id);
  expect(await waiting()).toEqual(runs);
  const anna = await signedIn(`/console/queues/${id}`);
  await shown(anna, 'one');
  await expect.poll(waiting).toEqual(runs.slice(1));
  await ben.reserve(id, runs[1] ?? '');
  await anna.getByRole('button', { name: 'Done (d)' }).click();
  await shown(anna, 'three');
  await anna.getByRole('button', { name: 'Done (d)' }).click();
  await anna.getByText('Nothing to review').waitFor();
  await anna.getByText(/2 of 3 done, 0 for you, 1 for others/).waitFor();
  expect(await countOf(id, 'archived')).toBe(2);
  await choose(anna, 'Actions on the queue', 'Reviewers');
  await anna.getByLabel('Reviewer', { exact: true }).selectOption({ label: `${ben.name} (key)` });
  await anna.getByRole('button', { name: 'Assign' }).click();
  await anna.getByRole('button', { name: `Take ${ben.name} from the queue` }).waitFor();
  const assigned = async () =>
    (await api<{ assigned_reviewers: unknown[] }>(`/annotation-queues/${id}`)).assigned_reviewers.length;
  expect(await assigned()).toBe(1);
  await anna.getByLabel(/Only those who are assigned/).check();
  await expect
    .poll(() => api(`/annotation-queues/${id}`))
    .toMatchObject({ reviewer_access_mode: 'assigned' });
  await anna.getByRole('button', { name: `Take ${ben.name} from the queue` }).click();
  await expect.poll(assigned).toBe(0);
});

/** Somebody with a key of their own, who reviews by the API. */
async function otherPerson() {
  const name = unique('ben');
  const body = { name, scopes: ['admin'] };
  const { key } = await api<{ key: string }>('/v2/api-keys', { method: 'POST', body });
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(platform.url + path, { ...init, headers });
    return (await answer.json()) as { readonly id: string; readonly queue_run_id: string }[];
  };
  const waiting = (queue: string) => call(`/annotation-queues/${queue}/runs?status=needs_my_review`);
  return {
    name,
    waitingRuns: async (queue: string) => (await waiting(queue)).map(({ id }) => id),
    reserve: async (queue: string, run: string) => {
      const item = (await waiting(queue)).find(({ id }) => id === run);
      const path = `/annotation-queues/status/${item?.queue_run_id ?? ''}`;
      await call(path, { method: 'POST', body: JSON.stringify({ status: 'viewed' }) });
    },
  };
}
