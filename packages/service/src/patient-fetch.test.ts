import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { patientFetch } from './patient-fetch.ts';

const call = (port: number, signal: AbortSignal | null = null) =>
  patientFetch(new Request(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'hello' }), { signal });

/** A port at which nobody listens, and a server for it. */
async function place(): Promise<{ readonly port: number; readonly open: () => Promise<Server> }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  const open = async () => {
    const server = createServer((request, response) => request.pipe(response));
    onTestFinished(() => void server.close());
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  };
  return { port, open };
}

test('when a service is started after a call began, then the call reaches it', async () => {
  const { port, open } = await place();
  const first = fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error.cause);
  const answer = call(port);
  expect(await first).toMatchObject({ code: 'ECONNREFUSED' });
  await open();
  expect(await (await answer).text()).toBe('hello');
});

test('when nobody comes for two seconds, then the call fails as it did at first', async () => {
  const { port } = await place();
  await expect(call(port)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('when the caller has gone, then nothing is tried again', async () => {
  const { port } = await place();
  await expect(call(port, AbortSignal.timeout(150))).rejects.toMatchObject({
    name: expect.stringMatching(/AbortError|TimeoutError/) as string,
  });
});

test('when a request may have been received, then it is not sent again', async () => {
  const { port, open } = await place();
  let requests = 0;
  (await open()).prependListener('request', (request) => {
    requests += 1;
    request.socket.destroy();
  });
  await expect(call(port)).rejects.toThrow('fetch failed');
  expect(requests).toBe(1);
});
