import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixture } from '@roadstead/testing';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';

/** Runs that stop where somebody asked them to, and what stands in messages beside words. */

const { signedIn } = useConsole();

interface Thread {
  readonly thread_id: string;
  readonly values: { readonly messages: readonly { readonly type: string; readonly content: unknown }[] };
  readonly next: readonly string[];
}
const SUPPORT = '/agents/support-agent';
const threadOf = (page: Page) => new URL(page.url()).searchParams.get('thread') ?? '';
const stateOf = (thread_id: string) => api<Thread>(`${SUPPORT}/threads/${thread_id}/state`);

/** A thread that rests would wait for a person in other stories. */
const leavesNothing = (thread_id: string) =>
  onTestFinished(() => api<void>(`${SUPPORT}/threads/${thread_id}`, { method: 'DELETE' }));

async function write(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}

test('when a breakpoint is set in the graph, then the run stops there, and goes on when told', async () => {
  const page = await signedIn('/console/talk/support-agent?side=graph');
  const stop = page.getByRole('button', { name: 'Stop before tools' });
  await stop.click();
  await page.getByRole('img', { name: 'tools, stops before' }).waitFor();
  await page.getByRole('button', { name: 'Stop after tools' }).click();
  await write(page, 'Where is order 1042?');
  const stopped = page.getByRole('region', { name: 'Stopped' });
  await stopped.getByText('The run stopped before tools.').waitFor();
  await page.getByRole('img', { name: /^tools, next/ }).waitFor();
  const thread_id = threadOf(page);
  leavesNothing(thread_id);
  expect(await stateOf(thread_id)).toMatchObject({ next: ['tools'], values: { messages: [{}, {}] } });
  await lookAt(page, 'talk-breakpoint');
  // Where one stops is in the address.
  await page.reload();
  expect(await stop.getAttribute('aria-pressed')).toBe('true');
  await stopped.getByRole('button', { name: 'Show its state' }).click();
  const steps = page.getByRole('complementary', { name: 'Steps' });
  await steps.getByText('Next: tools').waitFor();
  await stopped.getByRole('button', { name: 'Go on' }).click();
  await stopped.getByText('The run stopped before model.').waitFor();
  expect(await stateOf(thread_id)).toMatchObject({ next: ['model'], values: { messages: [{}, {}, {}] } });
  // It waits for a person, but asks nothing.
  await page.goto(new URL(`/console/inbox?agent=support-agent&thread=${thread_id}`, page.url()).href);
  await page.getByText('It asks nothing: its run was stopped.').waitFor();
  await page.getByRole('link', { name: 'Open the whole thread' }).click();
  await stopped.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('I looked it up: order 1042 is out for delivery.').waitFor();
  await stopped.waitFor({ state: 'detached' });
  const ended = { next: [], values: { messages: [{}, {}, {}, {}] } };
  await expect.poll(() => stateOf(thread_id)).toMatchObject(ended);
});

/** A tone of 50 ms, as a sound file. */
function tone(): Buffer {
  const [rate, count] = [8000, 400];
  const file = Buffer.alloc(44 + count);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + count, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(count, 40);
  for (let at = 0; at < count; at += 1) file[44 + at] = 128 + Math.round(100 * Math.sin(at / 3));
  return file;
}
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** How long a sound is, once the browser has read it. */
const lengthOf = (page: Page, index: number) =>
  page.evaluate<number>(`document.querySelectorAll('audio')[${index}]?.duration ?? NaN`);

test('when files are sent and answered, then they are pictures and sounds, or are saved', async () => {
  const { assistant_id } = await api<{ assistant_id: string }>(`${SUPPORT}/assistants`, {
    method: 'POST',
    body: { graph_id: 'agent', name: 'Ear' },
  });
  onTestFinished(() => api<void>(`${SUPPORT}/assistants/${assistant_id}`, { method: 'DELETE' }));
  const page = await signedIn('/console/talk/support-agent');
  await page.getByLabel('Files').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
    { name: 'tone.wav', mimeType: 'audio/wav', buffer: tone() },
    { name: 'form.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes of Ada') },
  ]);
  await page.getByRole('button', { name: 'Leave out form.pdf' }).waitFor();
  await page.evaluate(`Blob.prototype.text = () => Promise.reject(new DOMException('', 'NotFoundError'))`);
  await page
    .getByLabel('Files', { exact: true })
    .setInputFiles({ name: 'gone.md', mimeType: '', buffer: Buffer.from('x') });
  await page.getByText('gone.md can’t be read').waitFor();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Look and listen');
  // Whom one writes to is chosen also after one began to write.
  await page.getByLabel('Assistant').selectOption(assistant_id);
  await page.getByRole('heading', { name: 'Ear', level: 2 }).waitFor();
  expect(await message.inputValue()).toBe('Look and listen');
  await message.press('Enter');
  const person = page.getByRole('article', { name: 'Person' });
  await person.getByRole('img', { name: 'In the message' }).waitFor();
  await expect.poll(() => lengthOf(page, 0)).toBeCloseTo(0.05);
  const thread_id = threadOf(page);
  leavesNothing(thread_id);
  await expect.poll(async () => (await stateOf(thread_id)).values.messages.length).toBe(2);
  const [sent] = (await stateOf(thread_id)).values.messages;
  expect(sent?.content).toMatchObject([
    { type: 'text', text: 'Look and listen' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    { type: 'audio', mime_type: 'audio/wav', data: tone().toString('base64') },
    { type: 'file', mime_type: 'application/pdf', metadata: { filename: 'form.pdf' } },
    { type: 'text', text: 'notes.md:\n\n# Notes of Ada' },
  ]);
  const answer = {
    type: 'ai',
    content: [
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
      { type: 'input_audio', input_audio: { data: tone().toString('base64'), format: 'wav' } },
      { type: 'file', file: { file_data: `data:text/csv;base64,YSxi`, filename: 'table.csv' } },
      { type: 'text', mime_type: 'text/html', text: '<h1>Report of the day</h1><p>All is well.</p>' },
    ],
  };
  await api(`${SUPPORT}/threads/${thread_id}/state`, {
    method: 'POST',
    body: { values: { messages: [answer] }, as_node: 'model' },
  });
  await page.reload();
  await page.getByRole('article', { name: 'Agent' }).getByRole('img', { name: 'In the message' }).waitFor();
  await expect.poll(() => lengthOf(page, 1)).toBeCloseTo(0.05);
  await page.frameLocator('iframe').getByRole('heading', { name: 'Report of the day' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'form.pdf' }).click();
  expect((await saved).suggestedFilename()).toBe('form.pdf');
  await lookAt(page, 'talk-files');
});

/** Somebody elsewhere, who counts who comes. */
const elsewhere = useFixture(async () => {
  const calls: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    calls.push(url);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => new Promise<void>((done) => server.close(() => done()));
  return { url, calls, [Symbol.asyncDispose]: close };
});

const attackFrom = (url: string) => `<h1>Report</h1><script>top.ran = 1; parent.ran = 1</script>
<img src="x" onerror="parent.ran=1"><img src="${url}seen.png"><a href="javascript:parent.ran=1">press</a><a href="${url}left">leave</a>
<form action="${url}"><button>send</button></form><meta http-equiv="refresh" content="0;url=${url}">
<iframe src="/console"></iframe><svg onload="parent.ran=1"></svg>`;

test('when an agent answers with a page, then it is in a frame that runs and loads nothing', async () => {
  const body = { metadata: { graph_id: 'agent' } };
  const { thread_id } = await api<Thread>(`${SUPPORT}/threads`, { method: 'POST', body });
  leavesNothing(thread_id);
  const block = (more: object) => ({ type: 'file', source_type: 'base64', ...more });
  const base64 = Buffer.from(attackFrom(elsewhere().url)).toString('base64');
  const drawing = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="self.ran=1"/>`).toString(
    'base64',
  );
  const content = [
    block({ mime_type: 'text/html', data: base64, metadata: { filename: 'report.html' } }),
    { type: 'image', source_type: 'base64', mime_type: 'image/svg+xml', data: drawing },
    block({ mime_type: 'image/svg+xml', data: drawing, metadata: { filename: 'drawing.svg' } }),
  ];
  const messages = [{ type: 'ai', content }];
  await api(`${SUPPORT}/threads/${thread_id}/state`, {
    method: 'POST',
    body: { values: { messages }, as_node: 'model' },
  });
  const page = await signedIn('/console');
  await page.goto(new URL(`/console/talk/support-agent?thread=${thread_id}`, page.url()).href);
  const frame = page.locator('iframe[title="report.html"]');
  await frame.contentFrame().getByRole('heading', { name: 'Report' }).waitFor();
  expect(await frame.getAttribute('sandbox')).toBe('');
  await frame.contentFrame().getByRole('link', { name: 'press' }).click();
  await frame.contentFrame().getByRole('button', { name: 'send' }).click();
  expect(await frame.contentFrame().locator('html').evaluate('self.origin')).toBe('null');
  expect(await page.evaluate('self.ran ?? "nothing ran"')).toBe('nothing ran');
  await frame.contentFrame().getByRole('link', { name: 'leave' }).click();
  await page.request.get(`${elsewhere().url}ours`);
  expect(elsewhere().calls).toEqual(['/ours']);
  const active = page
    .getByRole('region', { name: 'Conversation' })
    .locator('img, iframe[src], object, embed');
  expect(await active.count()).toBe(0);
  expect(await page.getByRole('link', { name: 'drawing.svg' }).getAttribute('download')).toBe('drawing.svg');
  await page.getByRole('button', { name: 'Source' }).click();
  await page.getByText('top.ran = 1').first().waitFor();
});
