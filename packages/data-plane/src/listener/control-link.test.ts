import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '@roadstead/kit';
import { ControlLink } from './control-link.ts';

test('when a report is sent, then it holds only text that can be stored, of any output', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{"generation":1}');
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const link = new ControlLink({
    control_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listener_id: '018f0000-0000-7000-8000-000000000001',
    listener_key: 'key',
    compute: 'process',
    isolation: 'none',
    resource_limits: 'none',
    served_namespaces: [],
    capabilities: ['archive'],
    log: silentLog,
    onAssignment: () => undefined,
    onSynced: () => undefined,
    onLost: () => undefined,
    onBack: () => undefined,
  });
  const graph = { graph_id: 'agent', description: 'half \uD83D', channels: [], has_messages: true };
  await link.observe('018f0000-0000-7000-8000-000000000002', {
    generation: 1,
    revision_id: null,
    phase: 'build',
    outcome: 'failed',
    reason: { phase: 'build', code: 'build_failed', message: 'a NUL \0', log_tail: ['half \uDE00'] },
    artifact: null,
    manifest: { graphs: [graph], langgraph_version: null },
    url: null,
    database_ready: true,
    hosts: 0,
  });
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
    reason: { message: 'a NUL \uFFFD', log_tail: ['half \uFFFD'] },
    manifest: { graphs: [{ description: 'half \uFFFD' }] },
  });
});
