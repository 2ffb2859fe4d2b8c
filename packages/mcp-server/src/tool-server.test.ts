import { createMcpHandler } from '@modelcontextprotocol/server';
import { countTokens } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { silentLog } from '@roadstead/kit';
import { openApis } from './access/api-client.ts';
import { createConfirmations } from './confirmation/confirmation.ts';
import { createToolServer } from './tool-server.ts';
import { toolsets } from './tools/index.ts';

const MAX_TOKENS = 14_000;

const confirmations = createConfirmations();
const apis = openApis({ base_url: 'http://127.0.0.1:1', api_key: 'none' });

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** The answer for a client of 2025, without the lines that HTTP wraps it in. */
async function listTools(): Promise<readonly ListedTool[]> {
  const tools = Object.values(toolsets).flat();
  const handler = createMcpHandler(() =>
    createToolServer({ workspace_id: 'w', apis, tools, confirmations, may: () => true }, silentLog),
  );
  const answer = await handler.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  );
  const text = await answer.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return (JSON.parse(data) as { result: { tools: ListedTool[] } }).result.tools;
}

test('when all tools are listed, then their definitions together leave a model its room', async () => {
  expect(countTokens(JSON.stringify(await listTools()))).toBeLessThan(MAX_TOKENS);
});

test('when tools are listed, then they come in one order, each once', async () => {
  const [first, second] = await Promise.all([listTools(), listTools()]);
  expect(second).toEqual(first);
  const names = first.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    Object.values(toolsets)
      .flat()
      .map(({ name }) => name),
  );
});

test('when a tool is listed, then its annotations say what a call may do', async () => {
  for (const { title, name, annotations } of await listTools()) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(annotations['title']).toBe(title);
    expect(annotations, name).toMatchObject({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  }
});
