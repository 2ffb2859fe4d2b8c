import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

test('when a run is traced by environment, then it is one of ours, and stop sends what is left', async () => {
  const posts: { url: string; body: string }[] = [];
  let refuses = false;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.method === 'POST')
        posts.push({ url: request.url ?? '', body: Buffer.concat(pieces).toString() });
      if (request.url === '/feedback/tokens') {
        const wanted = JSON.parse(Buffer.concat(pieces).toString()) as { feedback_key: string }[];
        const links = wanted.map(({ feedback_key }) => ({ url: `https://traces.example/${feedback_key}` }));
        return response.writeHead(refuses ? 403 : 200).end(JSON.stringify(links));
      }
      const info = { batch_ingest_config: { use_multipart_endpoint: true }, instance_flags: {} };
      return response.end(JSON.stringify(request.url === '/info' ? info : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using host = new HostUnderTest(agents, {
    environment: {
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: `http://127.0.0.1:${port}`,
      LANGSMITH_API_KEY: 'key-of-the-test',
      LANGSMITH_PROJECT: 'project-of-the-test',
    },
  });
  const run_id = '019a0000-0000-7000-8000-000000000001';
  await host.run({
    run_id,
    thread_id: 'thread-of-the-state',
    input: { messages: [{ role: 'user', content: 'x' }] },
    metadata: { thread_id: 'thread-of-the-client' },
    feedback_keys: ['helpful', 'right'],
  });
  const told = () => host.events.filter((event) => event.kind === 'stream');
  const data = { helpful: 'https://traces.example/helpful', right: 'https://traces.example/right' };
  expect(told()).toEqual([expect.objectContaining({ event: 'feedback', ns: [], data })]);
  refuses = true;
  const input = { messages: [{ role: 'user', content: 'x' }] };
  const again = { run_id: '019a0000-0000-7000-8000-000000000002', thread_id: 'another', input };
  expect((await host.run({ ...again, feedback_keys: ['helpful'] })).outcome.outcome).toBe('success');
  expect(told()).toHaveLength(1);
  await host.peer.ask('stop', { grace_ms: 5000 });
  expect(await host.exited).toBe(0);
  server.close();
  const body = posts
    .filter((post) => post.url === '/runs/batch')
    .map((post) => post.body)
    .join('\n');
  expect(body).toContain(run_id);
  expect(body).toContain('"session_name":"project-of-the-test"');
  expect(body).toContain('"thread_id":"thread-of-the-client"');
  expect(body).not.toContain('"thread_id":"thread-of-the-state"');
});
