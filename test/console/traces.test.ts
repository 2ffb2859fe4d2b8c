import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';

const { signedIn, blankPage } = useConsole();

/** Its own project: other stories run on the same platform. */
const NAME = `traces-story-${randomUUID().slice(0, 8)}`;
const MANY = 25_000;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

interface Sketch {
  readonly name: string;
  readonly type?: string;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly error?: string;
  readonly metadata?: object;
  readonly tags?: readonly string[];
  /** In milliseconds after the trace began. */
  readonly at?: number;
  readonly took?: number;
  readonly within?: MadeRun;
}

interface MadeRun {
  readonly id: string;
  readonly trace_id: string;
  readonly dotted_order: string;
  readonly begun: number;
  readonly run: object;
}

/** Runs of one project: so many milliseconds ago, in an order that SDKs write. */
function run(sketch: Sketch, begun = Date.now() - 60_000): MadeRun {
  const { name, type = 'chain', within, at = 0, took = 100, metadata, ...rest } = sketch;
  const id = randomUUID();
  const from = (within?.begun ?? begun) + at;
  const start_time = new Date(from).toISOString();
  const own = `${start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
  const dotted_order = within === undefined ? own : `${within.dotted_order}.${own}`;
  const trace_id = within?.trace_id ?? id;
  return {
    id,
    trace_id,
    dotted_order,
    begun: within?.begun ?? begun,
    run: {
      id,
      trace_id,
      dotted_order,
      parent_run_id: within?.id,
      name,
      run_type: type,
      start_time,
      end_time: new Date(from + took).toISOString(),
      session_name: NAME,
      ...rest,
      ...(metadata !== undefined && { extra: { metadata } }),
    },
  };
}

const send = (runs: readonly MadeRun[]) =>
  api('/runs/batch', { method: 'POST', body: { post: runs.map((one) => one.run) } });

const asked = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const said = (content: string) => ({ messages: [{ role: 'assistant', content }] });

/** An agent that calls a model, a tool, and the model again. */
function conversation(thread_id: string) {
  const root = run({
    name: 'support',
    inputs: asked('Where is my order?'),
    outputs: said('It is **on its way**.'),
    metadata: { thread_id },
    tags: ['shop'],
    took: 900,
  });
  const model = { within: root, name: 'model', type: 'llm' } as const;
  const call = { id: '1', function: { name: 'find_order', arguments: '{"number":42}' } };
  return [
    root,
    run({
      ...model,
      at: 10,
      inputs: { messages: [[{ role: 'user', content: 'Where is my order?' }]] },
      outputs: {
        choices: [{ message: { role: 'assistant', content: '', tool_calls: [call] } }],
        usage_metadata: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
      },
    }),
    run({
      within: root,
      name: 'find_order',
      type: 'tool',
      at: 200,
      inputs: { number: 42 },
      outputs: { state: 'sent' },
    }),
    run({ ...model, at: 400, took: 400, inputs: asked('…'), outputs: said('It is **on its way**.') }),
  ];
}

let project = '';
const turns = [conversation('thread-1'), conversation('thread-1')];
const [shown] = turns as [MadeRun[]];
const failed = run({ name: 'broken', inputs: { city: 'Oslo' }, error: 'ValueError: no such city', took: 50 });
const question = run({
  name: 'approval',
  inputs: asked('Refund 10 €'),
  error: `GraphInterrupt((Interrupt(value='Approve?', id='1'),))`,
});
const picture = run({
  name: 'looker',
  inputs: asked([
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]),
});
const large = run({
  name: 'large',
  inputs: { rows: Array.from({ length: 5000 }, (_, row) => ({ row, text: 'x'.repeat(1000) })) },
});
const many = manyRuns();

function manyRuns(): MadeRun[] {
  const runs: MadeRun[] = [run({ name: 'crowd', took: MANY })];
  for (let index = 1; index < MANY; index += 1)
    runs.push(run({ name: `step ${index}`, at: index, within: runs[(index - 1) >> 3] as MadeRun }));
  return runs;
}

beforeAll(async () => {
  const { id } = await api<{ id: string }>('/sessions', { method: 'POST', body: { name: NAME } });
  project = id;
  await send([...turns.flat(), failed, question, picture]);
  await send([large]);
});

const open = async (to = '') => {
  const page = await signedIn(`/console/projects/${project}${to}`);
  page.setDefaultTimeout(20_000);
  return page;
};
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

test('when projects are made, renamed and deleted, then the API tells the same', async () => {
  const page = await signedIn(`/console/projects?name=${NAME}`);
  await page.getByRole('link', { name: NAME, exact: true }).waitFor();
  const name = `${NAME}-new`;
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('heading', { name: 'No run began in this time' }).waitFor();
  await page.getByRole('link', { name: 'Traces' }).first().click();
  const search = page.getByRole('searchbox', { name: 'Search projects' });
  await search.pressSequentially(NAME.slice(1));
  await page.waitForURL(/name=/);
  // Letters before those that the address has already.
  await search.press('Home');
  await search.pressSequentially(NAME.slice(0, 1));
  await page.waitForURL(new RegExp(`name=${NAME}`));
  expect(await search.inputValue()).toBe(NAME);
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill(`${name}er`);
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('link', { name: `${name}er` }).waitFor();
  await lookAt(page, 'projects');
  expect(await api(`/sessions?name=${name}er`)).toHaveLength(1);
  await page.getByRole('button', { name: `Actions of ${name}er` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the project' }).click();
  await page.getByRole('link', { name: `${name}er` }).waitFor({ state: 'detached' });
  await expect.poll(() => api(`/sessions?name=${name}er`)).toEqual([]);
  await page.getByRole('link', { name: 'Traces' }).first().click();
  await expect.poll(() => search.inputValue()).toBe('');
});

test('when a filter is written, then it is completed, checked, and kept in the address', async () => {
  const page = await open();
  await row(page, 'broken').waitFor();
  await row(page, 'approval').getByText('interrupted').waitFor();
  const box = page.getByRole('textbox', { name: 'Filter' });
  await box.click();
  await page.keyboard.type('eq(run_typ');
  await page.getByRole('option', { name: /run_type/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type(', "llm")');
  await page.locator('.cm-lintRange-error').waitFor();
  // What was ingested a moment ago may not be summed up yet.
  const name = page.getByRole('option', { name: '"broken"' });
  const complete = async () => {
    await box.fill('eq(name, "br');
    await page.keyboard.type('o');
    return name.waitFor({ timeout: 6000 }).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(complete, { timeout: 90_000 }).toBe(true);
  await page.keyboard.press('Escape');
  await box.fill('eq(status, "error")');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await row(page, 'approval').waitFor({ state: 'detached' });
  await row(page, 'broken').waitFor();
  expect(new URL(page.url()).searchParams.get('filter')).toBe('eq(status, "error")');
});

test('when a view is saved, then it is there by its name, and can be removed', async () => {
  const page = await open('?runs=all');
  await page.getByRole('button', { name: 'Failed' }).click();
  await row(page, 'support').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await page.getByLabel('Name', { exact: true }).fill('what fails');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await row(page, 'support').first().waitFor();
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'what fails' }).click();
  await row(page, 'support').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Remove views' }).click();
  await page.getByRole('button', { name: 'Remove what fails' }).click();
  await page.getByRole('button', { name: 'Remove what fails' }).waitFor({ state: 'detached' });
  // Views are kept by workspace.
  const kept = `Object.entries(localStorage).filter(([key]) => key.startsWith('roadstead-trace-views:'))`;
  expect(await page.evaluate(`${kept}.map(([, views]) => views)`)).toEqual(['[]']);
});

test('when a range of the histogram is marked, then only its runs are shown', async () => {
  const page = await open('?period=hour');
  await row(page, 'broken').waitFor();
  const bars = page.getByRole('figure', { name: 'Runs over time' }).locator('div').first();
  const { x = 0, y = 0, width = 0, height = 0 } = (await bars.boundingBox()) ?? {};
  await page.mouse.move(x + width * 0.1, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('heading', { name: 'No run passes the filter' }).waitFor();
  expect(new URL(page.url()).searchParams.has('from')).toBe(true);
  await page.getByRole('button', { name: 'Whole period' }).click();
  await row(page, 'broken').waitFor();
});

test('when many runs come while it is live, then all appear, and the marked one stays marked', async () => {
  const session_name = `${NAME}-live`;
  const { id } = await api<{ id: string }>('/sessions', { method: 'POST', body: { name: session_name } });
  const arrive = (names: readonly string[]) =>
    send(
      names.map((name) => {
        const made = run({ name }, Date.now());
        return { ...made, run: { ...made.run, session_name } };
      }),
    );
  await arrive(['early-one']);
  const page = await signedIn(`/console/projects/${id}`);
  await row(page, 'early-one').waitFor();
  await page.getByRole('grid', { name: 'Runs' }).focus();
  await page.getByRole('button', { name: 'Live' }).click();
  await arrive(Array.from({ length: 130 }, (_one, index) => `late-comer-${index}`));
  await page.locator('[role=grid][aria-rowcount="132"]').waitFor();
  expect(new URL(page.url()).searchParams.get('live')).toBe('on');
  await page.getByRole('grid', { name: 'Runs' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'early-one' }).waitFor();
});

test('when runs are marked, then they go into a dataset and an annotation queue', async () => {
  const queue = await api<{ id: string }>('/annotation-queues', {
    method: 'POST',
    body: { name: `a-${NAME}` },
  });
  const page = await open();
  await page.getByRole('checkbox', { name: `Select broken ${failed.id}` }).check();
  await page.getByRole('checkbox', { name: `Select approval ${question.id}` }).check();
  await lookAt(page, 'traces');
  await page.getByRole('button', { name: 'Add to dataset' }).click();
  await page.getByLabel('Dataset', { exact: true }).selectOption('A new dataset …');
  await page.getByLabel('Name of the dataset').fill(`d-${NAME}`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(`2 runs added to d-${NAME}.`).waitFor();
  const [dataset] = await api<{ id: string }[]>(`/datasets?name=d-${NAME}`);
  const examples = await api<{ inputs: object }[]>(`/examples?dataset=${dataset?.id ?? ''}`);
  expect(examples.map(({ inputs }) => inputs)).toContainEqual({ city: 'Oslo' });
  await page.getByRole('button', { name: 'Add to annotation queue' }).click();
  await page.getByRole('combobox', { name: 'Annotation queue' }).selectOption({ label: `a-${NAME}` });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(`2 runs added to a-${NAME}.`).waitFor();
  expect(await api(`/annotation-queues/${queue.id}/size`)).toEqual({ size: 2 });
  await page.getByRole('button', { name: 'Unmark all' }).click();
  await page.getByRole('toolbar', { name: 'Marked runs' }).waitFor({ state: 'detached' });
});

test('when a trace is opened, then its runs, messages, tool calls and graph are there', async () => {
  const [root, , tool] = shown as [MadeRun, MadeRun, MadeRun];
  const page = await open(`/traces/${root.id}`);
  const tree = page.getByRole('tree', { name: 'Runs' });
  await tree.getByRole('treeitem', { name: /find_order/ }).waitFor();
  await page.getByRole('region', { name: 'Content' }).getByText('on its way').waitFor();
  await lookAt(page, 'trace');
  await tree.getByRole('treeitem', { name: /model/ }).first().click();
  await page.getByText('calls find_order').waitFor();
  await tree.focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(new RegExp(`run=${tool.id}`));
  await page.keyboard.press('?');
  for (const does of [
    'Go to the next run',
    'Hide what is below a run, then go above',
    'Next run that failed',
  ])
    await page.getByRole('dialog', { name: 'Keys' }).getByText(does).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Output' }).getByText('sent').waitFor();
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.getByRole('button', { name: /^model.*2 times/ }).click();
  await lookAt(page, 'trace-graph');
  await page.getByRole('button', { name: 'Tree', exact: true }).click();
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByRole('region', { name: 'Metadata' }).first().waitFor();
  await page.getByRole('link', { name: 'Logs' }).click();
  await page.getByText('No deployment writes into this project').waitFor();
  expect(new URL(page.url()).searchParams.get('part')).toBe('logs');
});

test('when feedback is given and removed, then the API has it and has it no more', async () => {
  const page = await open(`/traces/${failed.id}?part=feedback`);
  await page.getByRole('button', { name: 'Give feedback' }).click();
  await page.getByLabel('Key').fill('right');
  await page.getByLabel('Score').fill('0');
  await page.getByLabel('Comment').fill('Oslo is a city.');
  await page.getByRole('button', { name: 'Give', exact: true }).click();
  await page.getByText('Oslo is a city.').waitFor();
  const given = () => api<{ key: string; score: number }[]>(`/feedback?run=${failed.id}`);
  await expect.poll(given).toMatchObject([{ key: 'right', score: 0 }]);
  await page.getByRole('button', { name: 'Remove right' }).click();
  await page.getByRole('button', { name: 'Remove the feedback' }).click();
  await page.getByText('Nobody said anything').waitFor();
  expect(await given()).toEqual([]);
});

test('when a run failed or asked a person, then only the first is called an error', async () => {
  const page = await open(`/traces/${failed.id}`);
  await page.getByRole('region', { name: 'Error' }).getByText('no such city').waitFor();
  await page.keyboard.press('e');
  await page.goto(`${platform.url}/console/projects/${project}/traces/${question.id}`);
  await page.getByRole('region', { name: 'Interrupt' }).getByText('Approve?').waitFor();
  await page.getByText('interrupted').first().waitFor();
  expect(await page.getByRole('region', { name: 'Error' }).count()).toBe(0);
});

test('when a run is copied, then what is copied reads it or holds it', async () => {
  const page = await open(`/traces/${failed.id}`);
  const copied = async (name: string) => {
    await page.getByRole('button', { name: 'Copy the run' }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByText('Copied.').last().waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  expect(await copied('Copy as curl')).toContain(`/runs/${failed.id}`);
  await expect.poll(() => copied('Copy as test (Vitest)')).toContain('"city": "Oslo"');
  await expect.poll(() => copied('Copy as test (pytest)')).toContain('def test_broken()');
});

test('when a message has a picture, then it is shown', async () => {
  const page = await open(`/traces/${picture.id}`);
  await page.getByRole('img', { name: 'From the message' }).waitFor();
  expect(await page.evaluate(`document.querySelector('img[alt="From the message"]').naturalWidth`)).toBe(1);
});

test('when a value is large, then its beginning is shown, and all of it once it is opened', async () => {
  const page = await open(`/traces/${large.id}`);
  await page.getByRole('button', { name: /^Open all \d/ }).click();
  await page.getByRole('button', { name: 'rows: [5000]' }).click();
  await page.getByRole('button', { name: '4900 more' }).waitFor();
  expect(await page.getByRole('button', { name: /^Open all/ }).count()).toBe(0);
});

test('when a trace is shared, then whoever has the link reads it without signing in', async () => {
  const [root] = shown as [MadeRun];
  const page = await open(`/traces/${root.id}`);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('button', { name: 'Share by link' }).click();
  await page.getByRole('button', { name: 'Shared' }).click();
  await page.getByLabel('Link of the trace', { exact: true }).waitFor();
  const { share_token } = await api<{ share_token: string }>(`/runs/${root.id}/share`);
  const other = await blankPage();
  await other.goto(`${platform.url}/console/public/${share_token}/r`);
  await other.getByRole('treeitem', { name: /find_order/ }).waitFor();
  await other.getByRole('region', { name: 'Content' }).getByText('on its way').waitFor();
  await lookAt(other, 'shared-trace');
  await page.getByRole('button', { name: 'Stop sharing' }).click();
  await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
  expect(await api(`/runs/${root.id}/share`)).toBeNull();
});

test('when a dataset is shared, then whoever has the link reads its examples', async () => {
  const dataset = await api<{ id: string }>('/datasets', { method: 'POST', body: { name: `s-${NAME}` } });
  await api('/examples', {
    method: 'POST',
    body: { dataset_id: dataset.id, inputs: { question: 'Who?' }, outputs: {} },
  });
  const { share_token } = await api<{ share_token: string }>(`/datasets/${dataset.id}/share`, {
    method: 'PUT',
  });
  const page = await blankPage();
  await page.goto(`${platform.url}/console/public/${share_token}/d`);
  await page.getByText('{"question":"Who?"}').click();
  await page.getByRole('dialog').getByText('Who?').waitFor();
  expect(await page.getByRole('navigation', { name: 'Menu' }).count()).toBe(0);
});

test('when runs name a thread, then they are one conversation', async () => {
  const page = await open('/threads');
  await page.getByRole('link', { name: 'thread-1' }).click();
  const turn = page.getByRole('article', { name: 'Turn 2' });
  await turn.getByText('Where is my order?').waitFor();
  await lookAt(page, 'conversation');
  await turn.getByRole('button', { name: 'All of it' }).click();
  await turn.getByRole('region', { name: 'Output' }).getByText('on its way').waitFor();
  expect(await page.getByRole('article').count()).toBe(2);
});

test('when an address names a run alone, then it leads to its place in its trace', async () => {
  const [root, , tool] = shown as [MadeRun, MadeRun, MadeRun];
  const page = await signedIn(`/console/runs/${tool.id}`);
  await page.waitForURL(new RegExp(`/projects/${project}/traces/${root.id}\\?run=${tool.id}`));
  await page.getByRole('heading', { name: 'find_order' }).waitFor();
  expect(await page.getByRole('treeitem', { selected: true }).count()).toBe(1);
});

test('when a trace has 25,000 runs, then they can be moved through from the first to the last', async () => {
  await send(many);
  const page = await open(`/traces/${many[0]?.id ?? ''}`);
  const tree = page.getByRole('tree', { name: 'Runs' });
  await tree.getByRole('treeitem', { name: /crowd/ }).waitFor();
  await page.getByText('25,000 runs', { exact: true }).waitFor({ timeout: 60_000 });
  await tree.focus();
  await page.keyboard.press('End');
  await page.waitForURL(/run=/);
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(200);
  await page.getByRole('searchbox', { name: 'Find a run' }).fill('step 24999');
  await tree.getByRole('treeitem', { name: /step 24999/ }).click();
  await page.waitForURL(new RegExp(`run=${many.at(-1)?.id ?? ''}`));
});
