import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AgentLanguage, has_python, languages, needsLanguage } from '../support/languages.ts';
import { dataHome, startPlatform, userMessage } from '../support/platform.ts';

/** A deployment that decides itself who calls it, through the whole platform: with its users, pages and tools of MCP. */

const pathOf = (folder: string) => fileURLToPath(new URL(`../agents/${folder}`, import.meta.url));
const agents: Readonly<Record<AgentLanguage, readonly string[]>> = {
  javascript: [pathOf('own-auth')],
  python: [pathOf('python'), '--config', 'own-auth.json'],
};
const page = 'https://app.example';
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(() =>
  Promise.all(
    languages
      .filter((language) => language !== 'python' || has_python)
      .map((language) => platform().run('deploy', ...agents[language], '--name', language)),
  ),
);

describe.each(languages)('an agent in %s', (language) => {
  beforeEach((context) => needsLanguage(language, context));
  const address = () => `${platform().url}/agents/${language}`;

  async function send(headers: Record<string, string>) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: userMessage('hello'),
    });
    const answered = await fetch(`${address()}/a2a/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: answered.status, headers: answered.headers, text: await answered.text() };
  }

  test('when its users call, then they are told apart, and a key of the platform is no user', async () => {
    expect((await send({ authorization: 'Bearer alice' })).text).toContain('alice: hello');
    expect((await send({ authorization: 'Bearer mallory' })).status).toBe(401);
    expect((await send({ 'x-api-key': platform().key })).status).toBe(401);
    const member = await send({ 'x-api-key': platform().key, 'x-auth-scheme': 'langsmith' });
    expect(member.text).toContain('langgraph-studio-user: hello');
    expect((await send({ 'x-api-key': 'wrong', 'x-auth-scheme': 'langsmith' })).status).toBe(401);
  });

  test('when a page of the origin that it names calls, then it may, and reads why it was refused', async () => {
    const asking = { origin: page, 'access-control-request-method': 'POST' };
    const may = await fetch(`${address()}/a2a/agent`, { method: 'OPTIONS', headers: asking });
    expect([may.status, may.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    expect((await send({ origin: page })).headers.get('access-control-allow-origin')).toBe(page);
    const other = await send({ origin: 'https://evil.example', authorization: 'Bearer alice' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('when its users call by MCP, then its agent is a tool to them', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: 'Bearer bob' } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address()}/mcp`), { requestInit }));
    const messages = [{ role: 'user', content: 'hello' }];
    const result = await client.callTool({ name: 'agent', arguments: { messages } });
    expect(result.content).toEqual([{ type: 'text', text: 'bob: hello' }]);
    await client.close();
  });
});
