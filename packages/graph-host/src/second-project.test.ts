import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));

interface SentRun {
  readonly id: string;
  readonly session_name?: string;
  readonly reference_example_id?: string | null;
  readonly trace_id: string;
}

/** Takes traces in as the platform does, and keeps what was posted. */
async function openSink() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.url === '/runs/batch') bodies.push(Buffer.concat(pieces).toString());
      const info = { batch_ingest_config: { use_multipart_endpoint: true }, instance_flags: {} };
      response.end(JSON.stringify(request.url === '/info' ? info : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sent = () =>
    bodies.flatMap((body) => {
      const { post = [], patch = [] } = JSON.parse(body) as { post?: SentRun[]; patch?: SentRun[] };
      return [...post, ...patch];
    });
  return { url: `http://127.0.0.1:${port}`, sent, [Symbol.dispose]: () => void server.close() };
}

test('when a run names a project, then it is traced there and to its own, with ids of its own', async () => {
  using sink = await openSink();
  await using host = new HostUnderTest(agents, {
    environment: {
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: sink.url,
      LANGSMITH_API_KEY: 'key-of-the-test',
      LANGSMITH_PROJECT: 'own',
    },
  });
  const input = { messages: [{ role: 'user', content: 'x' }] };
  const [run_id, example_id] = [
    '019a0000-0000-7000-8000-000000000001',
    '019a0000-0000-7000-8000-00000000000e',
  ];
  await host.run({
    run_id,
    thread_id: 't',
    input,
    traced_to: { project_name: 'experiment', example_id },
  });
  await host.run({ thread_id: 'u', input });
  await host.peer.ask('stop', { grace_ms: 5000 });
  expect(await host.exited).toBe(0);
  const roots = sink.sent().filter(({ id, trace_id }) => id === trace_id);
  const of = (project: string) => roots.filter(({ session_name }) => session_name === project);
  const named = new Set(of('experiment').map(({ id }) => id));
  expect([named.size, named.has(run_id)]).toEqual([1, false]);
  const answers = roots.filter(({ reference_example_id: one }) => one === example_id);
  expect(new Set(answers.map(({ id }) => id))).toEqual(named);
  const own = new Set(of('own').map(({ id }) => id));
  expect([own.size, own.has(run_id)]).toEqual([2, true]);
});
