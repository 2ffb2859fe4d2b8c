import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

test('when a run is cancelled, then its trace says why', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      bodies.push(Buffer.concat(pieces).toString());
      const info = { batch_ingest_config: { use_multipart_endpoint: true }, instance_flags: {} };
      response.end(JSON.stringify(request.url === '/info' ? info : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using host = new HostUnderTest(agents, {
    environment: {
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      LANGSMITH_API_KEY: 'key-of-the-test',
      LANGSMITH_PROJECT: 'own',
    },
  });
  const run_id = crypto.randomUUID();
  const input = { messages: [{ role: 'user', content: 'wait forever' }] };
  const ended = host.run({ run_id, thread_id: 't', graph_id: 'gate', input });
  await host.until(() => host.events.length > 0);
  await host.peer.ask('cancel', { run_id, attempt: 1, reason: 'cancel', why: 'Its assistant was deleted.' });
  expect((await ended).outcome).toEqual({ outcome: 'cancelled', reason: 'cancel' });
  await host.peer.ask('stop', { grace_ms: 5000 });
  await host.exited;
  server.close();
  expect(bodies.join('\n')).toContain('"error":"Its assistant was deleted.');
});
