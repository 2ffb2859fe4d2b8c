import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { listen, toNodeListener } from '@roadstead/http';
import { beforeEach, expect, test } from 'vitest';
import { openBrowser, chatPage, rests, said, say } from '@roadstead/testing/browser';
import { type AgentLanguage, needsLanguage } from '../support/languages.ts';
import type { Gate } from './gate.ts';

/** What programs that are written for the original's server in JavaScript do with an agent that is deployed here, unmodified. */

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const textsOf = (state: unknown) =>
  (state as { messages: { content: string }[] }).messages.map(({ content }) => content);

export function clientsSuite(language: AgentLanguage, { platform, startAgain, address: of }: Gate): void {
  beforeEach((context) => needsLanguage(language, context));
  const address = () => of(language);
  const client = () => new Client({ apiUrl: address(), apiKey: platform().key });

  test('when RemoteGraph is used, then it runs, streams, asks, is answered, and has a history', async () => {
    const graph = new RemoteGraph({ graphId: 'agent', url: address(), apiKey: platform().key });
    const { thread_id } = await client().threads.create();
    const config = { configurable: { thread_id } };
    const said = await graph.invoke({ messages: [new HumanMessage('hello')] }, config);
    expect(textsOf(said)).toEqual(['hello', 'Let me see.', 'hello']);
    const updates: unknown[] = [];
    for await (const update of await graph.stream(says('again'), { ...config, streamMode: 'updates' }))
      updates.push(...Object.keys(update as object));
    expect(updates).toEqual(['begin', 'act']);
    await graph.invoke(says('ask'), config).catch(() => undefined);
    const asked = await graph.getState(config);
    expect(asked.next).toEqual(['act']);
    expect(asked.tasks[0]?.interrupts[0]?.value).toEqual({ question: 'Who is there?' });
    const answered = await graph.invoke(new Command({ resume: 'Ann' }), config);
    expect(textsOf(answered).at(-1)).toBe('Hello, Ann!');
    const states = [];
    for await (const state of graph.getStateHistory(config)) states.push(state);
    expect(states.length).toBeGreaterThan(5);
  });

  test('when a stream ends, then its links take feedback on the trace of its run', async () => {
    const options = { input: says('hello'), feedbackKeys: ['helpful'], onCompletion: 'keep' as const };
    const parts = [];
    for await (const part of client().runs.stream(null, 'agent', options)) parts.push(part);
    const { event, data } = parts.at(-1) as { event: string; data: Readonly<Record<string, string>> };
    expect([event, Object.keys(data)]).toEqual(['feedback', ['helpful']]);
    const run_id = (parts[0]?.data as { readonly run_id: string } | undefined)?.run_id;
    const given = await fetch(data['helpful'] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ score: 1, comment: 'Thank you' }),
    });
    expect(given.status).toBe(200);
    const listed = await platform().fetch(`${platform().url}/api/v1/feedback?run=${run_id}`);
    expect(await listed.json()).toMatchObject([{ run_id, key: 'helpful', score: 1, comment: 'Thank you' }]);
    const traced = async () => (await platform().fetch(`${platform().url}/api/v1/runs/${run_id}`)).json();
    await expect.poll(traced).toMatchObject({
      id: run_id,
      feedback_stats: { helpful: { n: 1, avg: 1 } },
    });
  });

  test('when a client leaves, then its run ends through the router, too', async () => {
    const thread_id = crypto.randomUUID();
    const gone = new AbortController();
    const response = await platform().fetch(`${address()}/threads/${thread_id}/runs/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'agent',
        input: says(`wait ${crypto.randomUUID()}`),
        if_not_exists: 'create',
        on_disconnect: 'cancel',
      }),
      signal: gone.signal,
    });
    const [, run_id = ''] = /runs\/(.+)$/.exec(response.headers.get('content-location') ?? '') ?? [];
    await response.body?.getReader().read();
    gone.abort();
    await expect.poll(async () => (await client().runs.get(thread_id, run_id)).status).toBe('interrupted');
  });

  test('when a platform is killed and started again, then a stream goes on over it', async () => {
    const thread_id = crypto.randomUUID();
    const name = crypto.randomUUID();
    const names: string[] = [];
    const stream = client().runs.stream(thread_id, 'agent', {
      input: says(`wait ${name}`),
      streamMode: ['updates'],
      ifNotExists: 'create',
    });
    for await (const { event, data } of stream) {
      names.push(event === 'updates' ? String(Object.keys(data)) : event);
      if (names.at(-1) !== 'begin') continue;
      await platform().kill();
      await startAgain();
      await client().runs.wait(null, 'agent', { input: says(`open ${name}`) });
    }
    expect(names.at(-1)).toBe('act');
    expect(names.filter((name) => name === 'metadata').length).toBeGreaterThan(1);
    const [run] = await client().runs.list(thread_id);
    expect(textsOf(await client().runs.join(thread_id, run?.run_id ?? '')).at(-1)).toBe(`wait ${name}`);
  });

  test('when pages of another origin have a key, then they chat and read headers of answers', async ({
    skip,
  }) => {
    await using opened = await openBrowser();
    if (opened === undefined) return skip('no browser starts here');
    const answerPage = await chatPage();
    const listener = toNodeListener(
      async (request) => answerPage(request) ?? new Response(null, { status: 404 }),
    );
    await using pages = await listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100 });
    const of_api = `assistant=agent&api=${encodeURIComponent(address())}&key=${platform().key}`;
    for (const hook of ['runs', 'events']) {
      const page = await (await opened.browser.newContext()).newPage();
      await page.goto(`http://127.0.0.1:${pages.port}/?hook=${hook}&${of_api}`);
      await say(page, 'ask');
      await expect.poll(() => page.getByRole('alert').textContent()).toContain('Who is there?');
      await rests(page);
      await say(page, 'Ann');
      await expect.poll(() => said(page)).toEqual(['ask', 'Let me see.', 'Hello, Ann!']);
      const name = crypto.randomUUID();
      await say(page, `wait ${name}`);
      await expect.poll(() => said(page)).toHaveLength(5);
      await page.reload();
      await expect.poll(() => said(page)).toHaveLength(5);
      await client().store.putItem(['gates'], name, { open: true });
      await expect.poll(async () => (await said(page)).at(-1)).toBe(`wait ${name}`);
      await rests(page);
      await page.close();
    }
    const page = await opened.browser.newPage();
    await page.goto(`http://127.0.0.1:${pages.port}/`);
    const [searched, streamed, refused] = await page.evaluate(askFromPage, {
      api: address(),
      key: platform().key,
    });
    expect(searched).toEqual({
      status: 200,
      total: expect.stringMatching(/^\d+$/) as unknown,
      next: '1',
    });
    expect(streamed).toMatchObject({
      status: 200,
      place: expect.stringMatching(/^\/runs\/.+/) as unknown,
    });
    expect(refused).toMatchObject({ status: 401 });
  });
}

interface ApiAccess {
  readonly api: string;
  readonly key: string;
}

/** Runs in a page. */
async function askFromPage({ api, key }: ApiAccess) {
  const send = async (path: string, { body, by = key }: { readonly body: object; readonly by?: string }) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': by };
    const { status, headers: told } = await fetch(`${api}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status, told };
  };
  const found = await send('/threads/search', { body: { limit: 1, metadata: { graph_id: 'agent' } } });
  const total = found.told.get('x-pagination-total');
  const next = found.told.get('x-pagination-next');
  const run = await send('/runs/stream', { body: { assistant_id: 'agent', input: { messages: 'Hi' } } });
  const none = await send('/threads/search', { body: {}, by: 'wrong' });
  return [
    { status: found.status, total, next },
    { status: run.status, place: run.told.get('content-location') },
    { status: none.status },
  ];
}
