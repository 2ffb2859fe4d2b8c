import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { followLog } from './log-stream.ts';
import { targetOf } from '../target/target.ts';

const frame = (id: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ id, timestamp: '2026-01-01T00:00:00Z', level: 'INFO', message: `line ${id}` })}\n\n`;

test('when an outage or a broken connection interrupts a log, then each line still comes once', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const after = request.headers['last-event-id'] as string | undefined;
    asked.push(after);
    if (asked.length === 2) return response.writeHead(503, { 'retry-after': '1' }).end('{"detail":"Away."}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (after === undefined) {
      // In two pieces, the second of which never ends.
      response.write(`: keep-alive\n\n${frame('1').slice(0, 20)}`);
      setImmediate(() => response.write(frame('1').slice(20) + 'id: 2\ndata: {', () => response.destroy()));
    } else response.write(frame('2'));
    return undefined;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const target = targetOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
  const stop = new AbortController();
  const log = {
    deployment_id: 'd',
    revision_id: undefined,
    query: {},
    after: undefined,
    signal: stop.signal,
  };
  const messages: string[] = [];
  for await (const { message } of followLog(target, log)) {
    messages.push(message);
    if (messages.length === 2) break;
  }
  stop.abort();
  expect(messages).toEqual(['line 1', 'line 2']);
  expect(asked).toEqual([undefined, '1', '1']);
});

test('when a log is refused, then the reason is told', async () => {
  const server = createServer((_request, response) =>
    response.writeHead(404).end('{"detail":"There is no such deployment."}'),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const target = targetOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
  const log = { deployment_id: 'd', revision_id: 'r', query: {}, after: undefined };
  await expect(followLog(target, log).next()).rejects.toThrow('There is no such deployment.');
});
