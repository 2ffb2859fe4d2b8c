import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';
import { makeDataset, makeExamples, makeProject, runsThere, sendRun } from './support/experiments.ts';

/** What of traces and shared datasets is in the address, and what is done by keys or again. */

const { signedIn, blankPage } = useConsole();

/** A trace of two runs in a project of its own. */
async function madeTrace() {
  const { id: session_id } = await makeProject(`address-${randomUUID().slice(0, 8)}`);
  const values = { session_id, inputs: { question: 'Who?' }, outputs: { answer: 'Ada' } };
  const root = await sendRun({ ...values });
  const [id, start_time] = [randomUUID(), new Date().toISOString()];
  const stamp = start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z');
  await runsThere(session_id, 1);
  const { dotted_order } = await api<{ dotted_order: string }>(`/runs/${root}`);
  const place = { id, trace_id: root, parent_run_id: root, dotted_order: `${dotted_order}.${stamp}${id}` };
  const end_time = new Date().toISOString();
  const body = { ...values, ...place, name: 'lookup', run_type: 'tool', start_time, end_time };
  await api('/runs', { method: 'POST', body });
  return { project: session_id, root };
}

test('when words find runs of a trace, then they are in the address, and found again', async () => {
  const { project, root } = await madeTrace();
  const page = await signedIn(`/console/projects/${project}/traces/${root}`);
  const items = page.getByRole('tree', { name: 'Runs' }).getByRole('treeitem');
  await expect.poll(() => items.count()).toBe(2);
  await page.getByRole('searchbox', { name: 'Find a run' }).fill('nothing like it');
  await page.waitForURL(/find=nothing/);
  await page.reload();
  await page.getByText('2 runs').waitFor();
  expect(await items.count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Find a run' }).fill('');
  await expect.poll(() => items.count()).toBe(2);
  await expect.poll(() => new URL(page.url()).searchParams.has('find')).toBe(false);
});

/** Ends the list of a trace's runs after the first, while `self.isBroken`. */
const BREAKING = `
  self.isBroken = true;
  const ask = self.fetch.bind(self);
  self.fetch = async (request, init) => {
    const answer = await ask(request, init);
    if (!self.isBroken || !/\\/v2\\/traces\\/[^/]+\\/runs/.test(String(request.url ?? request))) return answer;
    const text = await answer.text();
    const parts = [text.slice(0, text.indexOf('}') + 1)];
    const pull = (stream) => {
      const part = parts.shift();
      if (part === undefined) stream.error(new TypeError('network error'));
      else stream.enqueue(new TextEncoder().encode(part));
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  };
`;

test('when the runs of a trace break off, then it says so, and has all once it is asked again', async () => {
  const { project, root } = await madeTrace();
  const page = await signedIn();
  await page.addInitScript(BREAKING);
  await page.goto(`${platform.url}/console/projects/${project}/traces/${root}`);
  const broken = page.getByRole('alert').filter({ hasText: 'The rest of the runs could not be read' });
  await broken.waitFor();
  await page.getByText('1 run, not all of them').waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  await lookAt(page);
  await page.evaluate('self.isBroken = false');
  await broken.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('2 runs', { exact: true }).waitFor();
  await broken.waitFor({ state: 'detached' });
});

test('when a range of the histogram is marked by keys, then only its runs are shown', async () => {
  const { project } = await madeTrace();
  const page = await signedIn(`/console/projects/${project}?period=hour`);
  await page.getByRole('row', { name: /answer/ }).waitFor();
  await page.getByRole('slider', { name: 'End of the range' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No run passes the filter' }).waitFor();
  await page
    .getByRole('status')
    .getByText(/^Shown are runs from .* to .*\.$/)
    .waitFor();
  expect(new URL(page.url()).searchParams.has('from')).toBe(true);
});

test('when an example of a shared dataset is open, then its address opens it again', async () => {
  const { id } = await makeDataset(`address-${randomUUID().slice(0, 8)}`);
  const [example] = await makeExamples(id, [{ inputs: { question: 'Who?' }, outputs: {} }]);
  const { share_token } = await api<{ share_token: string }>(`/datasets/${id}/share`, { method: 'PUT' });
  const page = await blankPage();
  await page.goto(`${platform.url}/console/public/${share_token}/d`);
  await page.getByText('{"question":"Who?"}').click();
  await page.waitForURL(new RegExp(`example=${example?.id ?? ''}`));
  await page.reload();
  await page.getByRole('dialog', { name: 'Example' }).getByText('Who?').waitFor();
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.getByRole('button', { name: 'Copy Input' }).click();
  await page.getByText('Over plain http the browser copies nothing').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.has('example')).toBe(false);
});
