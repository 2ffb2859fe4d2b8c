import { Client } from '@langchain/langgraph-sdk';
import { listen, toNodeListener } from '@roadstead/http';
import { useFixture } from '@roadstead/testing';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser, chatPage, rests, said, say } from '@roadstead/testing/browser';
import { openAgent } from '../testing/open-agent.ts';

/** The hooks of LangGraph's front ends, both generations, in a real page against a real agent server. */

const opened = useFixture(openBrowser);
const agent = useFixture(openAgent);
beforeAll(() => agent().serve(crypto.randomUUID()));
const server = useFixture(async () => {
  const answerPage = await chatPage();
  const listener = toNodeListener(async (request) => answerPage(request) ?? agent().fetch(request));
  return listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100 });
});
const url = () => `http://127.0.0.1:${server().port}`;
const client = useFixture(
  () => new Client({ apiUrl: url(), apiKey: null, callerOptions: { maxRetries: 0 } }),
);
beforeEach(({ skip }) => skip(opened() === undefined, 'no browser starts here'));

/** Notes in the page what its list has ever said. */
const WATCH = `
  globalThis.seen = new Set();
  new MutationObserver(() => {
    for (const item of document.querySelectorAll('li')) seen.add(item.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

async function chat(hook: string, assistant: string): Promise<Page> {
  const context = await opened()?.browser.newContext();
  if (context === undefined) throw new Error('There is no browser.');
  const page = await context.newPage();
  await page.goto(`${url()}/?hook=${hook}&assistant=${assistant}`);
  return page;
}

describe.each(['runs', 'events'])('the hook that follows %s', (hook) => {
  test('when a message is sent, then the page shows it, and what is streamed, as it comes', async () => {
    const page = await chat(hook, 'stream');
    await page.evaluate(WATCH);
    await say(page, 'Hi');
    await expect.poll(() => said(page)).toEqual(['Hi', 'hello', 'one', 'two']);
    await rests(page);
    const seen = await page.evaluate<string[]>('[...seen]');
    expect(seen).toEqual(expect.arrayContaining(['Hi', 'hello', 'one', 'two']));
  });

  test('when a run asks, then the page shows the question and sends the answer', async () => {
    const page = await chat(hook, 'gate');
    await say(page, 'ask');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('Who is there?');
    await rests(page);
    await say(page, 'Ann');
    await expect.poll(() => said(page)).toEqual(['ask', 'Let me see.', 'Hello, Ann!']);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('when the page is loaded again, then it joins what is under way', async () => {
    const page = await chat(hook, 'gate');
    const gate = crypto.randomUUID();
    await say(page, `wait ${gate}`);
    await expect.poll(() => said(page)).toEqual([`wait ${gate}`, 'Let me see.']);
    await page.reload();
    await expect.poll(() => said(page)).toEqual([`wait ${gate}`, 'Let me see.']);
    await client().store.putItem(['gates'], gate, { open: true });
    await expect.poll(() => said(page)).toEqual([`wait ${gate}`, 'Let me see.', `wait ${gate}`]);
    await rests(page);
  });
});
