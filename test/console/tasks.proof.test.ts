import { randomUUID } from 'node:crypto';
import { eventually, useFixture } from '@roadstead/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';
import { makeDataset, makeExamples, makeProject, runsThere, sendRun } from './support/experiments.ts';
import { type Hands, Person } from './support/person.ts';
import { PlayedListener } from './support/played-listener.ts';

/**
 * Ten tasks of somebody who never saw the console, from its first page: each by mouse, then with the keyboard alone, and each
 * within a minute of what a person does.
 */

const { signedIn } = useConsole();
const listener = useFixture(() => PlayedListener.open());
const own = randomUUID().slice(0, 8);
const unique = (word: string) => `${word}-${own}-${randomUUID().slice(0, 4)}`;

/** So many fail that this project is among the worst of the day. */
const FAILURES = 60;
const MODEL = `model-${own}`;
const project = { id: '', name: `shop-${own}` };
const dataset = { id: '', name: `kept-${own}` };

beforeAll(async () => {
  project.id = (await makeProject(project.name)).id;
  dataset.id = (await makeDataset(dataset.name)).id;
  const run = { session_id: project.id, inputs: { city: 'Oslo' } };
  for (let index = 0; index < FAILURES; index += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => sendRun({ ...run, outputs: null, error: 'ValueError: no such city' })),
    );
  await sendRun({
    ...run,
    run_type: 'llm',
    outputs: { usage_metadata: { total_cost: 1000.25 } },
    extra: { metadata: { ls_model_name: MODEL } },
  });
  await eventually(async () => {
    const { total_cost } = await sumsOfDay();
    if (total_cost !== 1000.25) throw new Error(`The runs cost ${total_cost ?? 'nothing'}.`);
  });
});

afterAll(() => api(`/sessions/${project.id}`, { method: 'DELETE' }));

interface Sums {
  readonly errors: number;
  readonly total_cost: number | null;
}
async function sumsOfDay(): Promise<Sums> {
  const body = {
    project_ids: [project.id],
    start_time: new Date(Date.now() - 86_400_000).toISOString(),
    end_time: new Date().toISOString(),
  };
  const { series } = await api<{ series: [{ total: Sums }] }>('/v2/series/query', { method: 'POST', body });
  return series[0].total;
}

const MINUTE_S = 60;

/** Tells a task for a mouse and for a keyboard, and holds what a person does to a minute. */
function task(title: string, does: (person: Person) => Promise<void>): void {
  test.for<Hands>(['mouse', 'keyboard'])(`${title}, by %s`, async (hands) => {
    const person = new Person(await signedIn(), hands);
    await does(person);
    expect(person.took_s).toBeGreaterThan(0);
    expect(person.took_s).toBeLessThan(MINUTE_S);
  });
}

const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });
const link = ({ page }: Person, name: string) => page.getByRole('link', { name, exact: true });
const inDialog = ({ page }: Person, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const nameField = ({ page }: Person) => page.getByLabel('Name', { exact: true });

/** From the first page to the newest run that failed. */
async function openFailure(person: Person): Promise<void> {
  const { page } = person;
  await person.press(link(person, `${project.name}: ${FAILURES} failed`));
  const row = page.getByRole('row', { name: /answer/ }).first();
  await row.waitFor();
  await person.open(row);
  await page.getByRole('region', { name: 'Error' }).getByText('no such city').waitFor();
}

task('when the last run failed, then one finds why', openFailure);

task('when a run failed, then one keeps it in a dataset', async (person) => {
  const { page } = person;
  const before = await examples();
  await openFailure(person);
  await person.press(button(person, 'Add to dataset'));
  await person.choose(page.getByLabel('Dataset', { exact: true }), dataset.name);
  await person.press(inDialog(person, 'Add'));
  await page.getByText(`1 run added to ${dataset.name}.`).waitFor();
  expect(await examples()).toHaveLength(before.length + 1);
  expect((await examples())[0]).toMatchObject({ inputs: { city: 'Oslo' } });
});
const examples = () => api<{ inputs: object }[]>(`/examples?dataset=${dataset.id}`);

/** A deployment with a secret, whose second revision serves. */
async function servedTwice() {
  const name = unique('served');
  const id = await listener().deploy(name, [{ name: 'TOKEN', value: 'old' }]);
  await listener().report(id, { phase: 'switch', outcome: 'done' });
  await api(`/v2/deployments/${id}/revisions`, { method: 'POST', body: {} });
  await listener().wantsRevision(id, 2);
  await listener().report(id, { phase: 'switch', outcome: 'done' });
  return { id, name };
}
interface Revision {
  readonly number: number;
  readonly rollback_of: string | null;
  readonly trigger: { readonly kind: string };
}
const newestRevision = async (id: string) =>
  (await api<{ resources: Revision[] }>(`/v2/deployments/${id}/revisions`)).resources[0];

task('when a revision is bad, then one rolls back', async (person) => {
  const { id, name } = await servedTwice();
  const { page } = person;
  await person.goTo({ name, kind: 'deployment' });
  await person.press(button(person, 'Roll back to revision 1'));
  await person.press(inDialog(person, 'Roll back'));
  await page.getByRole('listitem', { name: 'Revision 3' }).getByText('like revision 1').waitFor();
  expect((await newestRevision(id))?.rollback_of).not.toBeNull();
});

task('when a secret has changed, then one replaces it', async (person) => {
  const { id, name } = await servedTwice();
  const { page } = person;
  await person.goTo({ name, kind: 'deployment' });
  await person.press(link(person, 'Environment'));
  await person.press(button(person, 'Replace TOKEN'));
  await page.getByLabel('New value of TOKEN').and(page.locator(':focus')).waitFor();
  await person.type('new');
  await person.press(button(person, 'Save and deploy'));
  await page.getByRole('listitem', { name: 'Revision 3' }).waitFor();
  expect(await newestRevision(id)).toMatchObject({ number: 3, trigger: { kind: 'patch' } });
});

/** A thread that waits: the agent asks before it refunds. */
async function waitingThread() {
  const agent = '/agents/approval-agent';
  const euros = 1000 + Math.floor(Math.random() * 1_000_000);
  const { thread_id } = await api<{ thread_id: string }>(`${agent}/threads`, { method: 'POST', body: {} });
  const input = { messages: [{ role: 'user', content: `Refund ${euros} euros` }] };
  await api(`${agent}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    body: { assistant_id: 'agent', input },
  });
  const lastWords = async () => {
    const { values } = await api<{ values: { messages: { content: string }[] } }>(
      `${agent}/threads/${thread_id}`,
    );
    return values.messages.at(-1)?.content;
  };
  return { euros, lastWords };
}

task('when an agent waits, then one finds its question and approves', async (person) => {
  const { euros, lastWords } = await waitingThread();
  const { page } = person;
  // Home asks once a minute, and has been open since before.
  await page.reload();
  await person.press(page.getByRole('link', { name: /^approval-agent: \d+ conversation/ }));
  await person.press(page.getByRole('link', { name: new RegExp(`refund ${euros} euros`, 'i') }));
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByText(`Shall I refund ${euros} euros?`).waitFor();
  await person.fill(question.getByRole('textbox'), 'yes');
  await person.press(question.getByRole('button', { name: 'Answer', exact: true }));
  await expect.poll(lastWords).toBe(`Done: ${euros} euros are on their way.`);
});

/** Two experiments on one example, of which the second is worse. */
async function comparable() {
  const name = unique('compared');
  const { id } = await makeDataset(name);
  const [example] = await makeExamples(id, [{ inputs: { question: 'Where?' }, outputs: { answer: 'Here' } }]);
  for (const [word, score] of [
    ['careful', 1],
    ['hasty', 0],
  ] as const) {
    const { id: session_id } = await makeProject(unique(word), { reference_dataset_id: id });
    await sendRun({
      session_id,
      inputs: { question: 'Where?' },
      outputs: { answer: word },
      reference_example_id: example?.id ?? '',
      scores: { exact: score },
    });
    await runsThere(session_id, 1);
  }
  return { id, name };
}

task('when there are two experiments, then one sees which is better', async (person) => {
  const { name } = await comparable();
  const { page } = person;
  await person.goTo({ name, kind: 'dataset' });
  await person.press(page.getByRole('link', { name: /^Experiments/ }));
  await person.press(page.getByRole('checkbox', { name: /^Compare careful/ }), 'Space');
  await person.press(page.getByRole('checkbox', { name: /^Compare hasty/ }), 'Space');
  await person.press(button(person, 'Compare 2'));
  const table = page.getByRole('grid', { name: 'Comparison' });
  await table.getByText('hasty').first().waitFor();
  await page.getByText(/1 (regressed|improved)/).waitFor();
});

interface NamedThing {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
}
async function keyNamed(name: string): Promise<NamedThing | undefined> {
  const { items } = await api<{ items: NamedThing[] }>('/v2/api-keys?page_size=100');
  return items.find((key) => key.name === name);
}

task('when a program is to call an agent, then one makes a key for it', async (person) => {
  const name = unique('caller');
  const { page } = person;
  await person.goTo({ name: 'API keys', kind: 'page' });
  await person.press(button(person, 'New key'));
  await person.fill(nameField(person), name);
  const purpose = page.getByRole('radio', { name: /^Call agents/ });
  if (person.hands === 'mouse') await person.press(purpose);
  else {
    await person.press(page.getByRole('radio', { checked: true }), 'ArrowDown');
    await purpose.and(page.locator(':checked')).waitFor();
  }
  await person.press(inDialog(person, 'Make the key'));
  await page.getByRole('dialog', { name: `The key ${name}` }).waitFor();
  const made = await keyNamed(name);
  expect(made?.scopes).toEqual(['agents:invoke']);
  await api(`/v2/api-keys/${made?.id ?? ''}`, { method: 'DELETE' });
});

task('when an MCP client is to be connected, then one copies a line with its key', async (person) => {
  const name = unique('client');
  const { page } = person;
  await person.press(link(person, 'Make a key for an MCP client'));
  await person.fill(nameField(person), name);
  await person.press(inDialog(person, 'Make the key'));
  await person.press(inDialog(person, 'Copy: An MCP client'));
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(copied).toMatch(/^claude mcp add .*\/mcp --header "SERVICE-API-KEY: \S{20,}"$/);
  const [, key = ''] = /SERVICE-API-KEY: (\S+)"/.exec(await copied()) ?? [];
  const headers = {
    'service-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answer = await fetch(`${platform.url}/mcp`, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('inputSchema')]);
  await api(`/v2/api-keys/${(await keyNamed(name))?.id ?? ''}`, { method: 'DELETE' });
});

task('when a person is invited, then they can sign in', async (person) => {
  const name = unique('grace');
  const { page } = person;
  await person.goTo({ name: 'People', kind: 'page' });
  await person.press(button(person, 'Add a person'));
  await person.fill(nameField(person), name);
  await person.fill(page.getByLabel('Password', { exact: true }), 'a long enough password');
  await person.press(inDialog(person, 'Add'));
  await page.getByText(`${name} can sign in.`).waitFor();
  const { items } = await api<{ items: NamedThing[] }>(`/v2/users?name=${name}`);
  expect(items).toHaveLength(1);
  await api(`/v2/users/${items[0]?.id ?? ''}`, { method: 'DELETE' });
});

task('when the last day cost much, then one sees how much, and of which model', async (person) => {
  const { page } = person;
  await page.getByText(/^\$\d{4,}$/).waitFor();
  await person.press(link(person, 'By model'));
  const dearest = page.getByRole('list', { name: 'Cost of each group' }).getByRole('listitem').first();
  await expect.poll(() => dearest.textContent()).toMatch(new RegExp(`^${MODEL} \\$1000$`));
});
