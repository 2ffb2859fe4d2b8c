import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@langchain/langgraph-sdk';
import { expect, test } from 'vitest';
import { openAgent } from '../testing/open-agent.ts';

test('when a cron’s time comes, then a real agent runs, and its webhook hears how each run ended', async () => {
  await using agent = await openAgent();
  await agent.serve(crypto.randomUUID());
  const came: { readonly id: unknown; readonly body: Readonly<Record<string, unknown>> }[] = [];
  const hook = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      came.push({ id: request.headers['webhook-id'], body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  await using _ = { [Symbol.asyncDispose]: () => new Promise<void>((done) => hook.close(() => done())) };
  const { crons } = new Client({
    apiUrl: 'http://roadstead.test',
    apiKey: 'k',
    callerOptions: { fetch: (input: string, init: RequestInit) => agent.fetch(new Request(input, init)) },
  });
  const { port } = hook.address() as AddressInfo;
  const cron = await crons.create('agent', {
    schedule: '* * * * * *',
    input: { messages: [{ role: 'user', content: 'hi' }] },
    webhook: `HTTP://127.0.0.1:${port}/hook`,
  });
  await expect.poll(() => came.length).toBeGreaterThanOrEqual(2);
  await crons.delete(cron.cron_id);
  expect(await agent.rows('select distinct receiver from agent.webhook_calls', [])).toEqual([
    { receiver: `127.0.0.1:${port}` },
  ]);
  for (const { id, body } of came) {
    expect(body).toMatchObject({ run_id: id, status: 'success', metadata: { cron_id: cron.cron_id } });
    expect(body['values']).toMatchObject({ messages: expect.anything() });
  }
  expect(new Set(came.map(({ id }) => id)).size).toBe(came.length);
});
