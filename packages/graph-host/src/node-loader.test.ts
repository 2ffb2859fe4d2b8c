import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest, texts } from './testing/host-process.ts';

const folder = fileURLToPath(new URL('../fixtures/loader', import.meta.url));

test('when a project has a node_loader, then that loads its modules', async () => {
  await using host = new HostUnderTest(folder);
  const { events } = await host.run({ thread_id: crypto.randomUUID(), input: { messages: [] } });
  expect(texts(events)).toEqual(['loaded by hooks']);
});

test('when LANGGRAPH_NODE_LOADER is set, then it comes first; one not installed fails the start', async () => {
  await using host = new HostUnderTest(folder, { environment: { LANGGRAPH_NODE_LOADER: 'not-installed' } });
  await expect(host.peer.ask('describe', {})).rejects.toThrow(
    /^node_loader \(not-installed\) can’t be used: /,
  );
  await using other = new HostUnderTest(folder, {
    config_path: 'missing.json',
    environment: { LANGGRAPH_NODE_LOADER: './hooks.js' },
  });
  expect((await other.peer.ask('describe', {})).result.graphs).toHaveLength(1);
});
