import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import type { Scope } from '@roadstead/contracts';
import { startOpenServer } from './conformance/conformance-server.ts';

/** Which tools, resources and texts callers are shown, by their scopes and by what they ask for. */

interface Caller {
  readonly actor: string;
  readonly scopes: readonly Scope[];
  readonly asked?: string;
}

async function shown({ actor, scopes, asked }: Caller) {
  await using server = await startOpenServer({}, { workspace_id: 'one', actor, scopes: [...scopes] });
  const client = new Client({ name: 'test', version: '1' });
  const headers = asked === undefined ? {} : { 'X-MCP-Toolsets': asked };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name);
  const texts = (await client.listResources()).resources.map(({ uri }) => uri);
  const hidden = await client.callTool({ name: 'commit_prompt', arguments: {} }).then(
    () => 'called',
    (error: { readonly code?: number }) => error.code,
  );
  await client.close();
  return { tools, templates, texts, hidden };
}

describe('a caller is shown', () => {
  test('when a key has one scope, then it is shown what that may do, and what explains', async () => {
    const { tools, templates, texts, hidden } = await shown({ actor: 'key:1', scopes: ['prompts:read'] });
    expect(tools).toEqual(
      expect.arrayContaining(['list_prompts', 'get_prompt_by_name', 'push_prompt', 'run_experiment']),
    );
    expect(tools).not.toContain('fetch_runs');
    expect(templates).toEqual(['prompt']);
    expect(texts).toContain('roadstead://docs/push_prompt');
    expect(hidden).toBe(-32_602);
  });

  test('when an admin didn’t ask for what acts, then it is not shown', async () => {
    const { tools, hidden } = await shown({ actor: 'key:1', scopes: ['admin'] });
    expect(tools).toContain('fetch_runs');
    expect(tools).not.toContain('commit_prompt');
    expect(hidden).toBe(-32_602);
  });

  test('when an admin asked for what acts, then it is shown', async () => {
    const { tools, hidden } = await shown({ actor: 'key:1', scopes: ['admin'], asked: 'acting' });
    expect(tools).toContain('commit_prompt');
    expect(tools).not.toContain('fetch_runs');
    expect(hidden).toBe('called');
  });

  test('when a caller was given agents alone, then it is shown what calls them', async () => {
    const { tools } = await shown({ actor: 'oauth:1', scopes: ['agents:invoke'] });
    expect(tools).toContain('send_message');
    expect(tools).not.toContain('fetch_runs');
  });

  test('when a scope was granted by OAuth, then what acts by it is shown', async () => {
    const { tools } = await shown({ actor: 'oauth:1', scopes: ['traces:read', 'prompts:write'] });
    expect(tools).toEqual(expect.arrayContaining(['fetch_runs', 'commit_prompt']));
    expect(tools).not.toContain('add_dataset');
  });
});

test('when a tool explains, then its text is read as a resource too, word for word', async () => {
  await using server = await startOpenServer({});
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const { structuredContent } = await client.callTool({ name: 'push_prompt', arguments: {} });
  const { contents } = await client.readResource({ uri: 'roadstead://docs/push_prompt' });
  const [text] = Object.values({ ...(structuredContent as object) }).filter(
    (value): value is string => typeof value === 'string',
  );
  expect(text?.length).toBeGreaterThan(100);
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text }]);
  await client.close();
});
