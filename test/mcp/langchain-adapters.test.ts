import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startMcpFixture } from './mcp-fixture.ts';
import { seed, sender } from './seed.ts';
import { type ListedTool, shapesOf } from './shapes.ts';
import { inTurns } from './turns.ts';
import { startWholeApi } from './whole-api.ts';

/** LangChain’s adapters make tools of ours, and its models call them with values as they are published. */

const fixture = useFixture(() => startMcpFixture({ open: startWholeApi }));
const known = useFixture(() =>
  seed(sender(fixture().api_url, fixture().headers['SERVICE-API-KEY'] ?? ''), 'amber'),
);

test('when the adapters load every tool, then each answers in the form that is published', async () => {
  await using caller = await fixture().connect('client 1.x, HTTP, 2025', { toolsets: 'all' });
  const { tools: listed } = (await caller.listTools()) as { tools: ListedTool[] };
  const client = new MultiServerMCPClient({
    mcpServers: {
      roadstead: {
        transport: 'http',
        url: fixture().url,
        headers: { ...fixture().headers, 'X-MCP-Toolsets': 'all' },
      },
    },
  });
  try {
    const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
    expect([...tools.keys()].toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
    const shapes = listed.flatMap((tool) => shapesOf(tool, known())).filter((shape) => shape.as_published);
    const answered = new Set<string>();
    const faults = await inTurns(shapes, async ({ tool, given = {}, says }) => {
      try {
        const text: unknown = await tools.get(tool)?.invoke(given);
        answered.add(tool);
        return text === undefined || text === '' ? [`${says}: nothing`] : [];
      } catch (error) {
        // A refusal is thrown, in our words.
        const said = error instanceof Error ? error.message : '';
        return /Something went wrong|match expected schema|\[object/.test(said) || said === ''
          ? [`${says}: ${said}`]
          : [];
      }
    });
    expect(faults).toEqual([]);
    expect([...answered].toSorted()).toEqual([...tools.keys()].toSorted());
  } finally {
    await client.close();
  }
});
