import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from './client.ts';
import { endpoint } from './endpoint.ts';

const contract = {
  ask: endpoint({ method: 'GET', path: '/ask', summary: 'asks', auth: 'public' }),
  upload: endpoint({ method: 'PUT', path: '/upload', summary: 'uploads', auth: 'public', raw: true }),
};

/** Answers the head at once and never the rest. */
async function halting(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200).write('{'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a call without its whole answer by the deadline fails with status 0', async () => {
  const base_url = await halting();
  const client = createClient(contract, { base_url, deadline_ms: 50 });
  await expect(client.ask({})).rejects.toMatchObject({
    status: 0,
    message: `${base_url} does not answer in time.`,
  });
});

test('so does one bound to a handler that looks at no signal; a raw one may take longer', async () => {
  const answers = Promise.withResolvers<Response>();
  const options = { base_url: 'http://service', fetch: () => answers.promise, deadline_ms: 20 };
  const client = createClient(contract, options);
  const upload = client.upload({});
  await expect(client.ask({})).rejects.toMatchObject({ status: 0 });
  answers.resolve(Response.json({ there: true }));
  expect(await upload).toEqual({ there: true });
});

test('a call that its caller ends throws what the caller said', async () => {
  const client = createClient(contract, { base_url: await halting() });
  await expect(client.ask({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
});
