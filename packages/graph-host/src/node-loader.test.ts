import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest, texts } from './testing/host-process.ts';

const folder = fileURLToPath(new URL('../fixtures/loader', import.meta.url));

test('a project brings what loads its modules', async () => {
  await using host = new HostUnderTest(folder);
  const { events } = await host.run({ thread_id: crypto.randomUUID(), input: { messages: [] } });
  expect(texts(events)).toEqual(['loaded by hooks']);
});

test('LANGGRAPH_NODE_LOADER comes first, and one that is not installed fails the start in words', async () => {
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
