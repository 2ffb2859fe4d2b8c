import { afterAll, beforeAll, expect, test } from 'vitest';
import { type McpFixture, startMcpFixture } from './mcp-fixture.ts';

/** What the endpoint answers to those that speak HTTP by hand. */

let fixture: McpFixture;

beforeAll(async () => {
  fixture = await startMcpFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const listProjects = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_projects', arguments: {} },
};

const post = (more: Record<string, string>) =>
  fetch(fixture.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...fixture.headers,
      ...more,
    },
    body: JSON.stringify(listProjects),
  });

test.each([
  [403, 'https://evil.example'],
  [403, 'null'],
  [200, 'http://localhost:5173'],
])('answers %i to a page of %s', async (status, origin) => {
  expect((await post({ origin })).status).toBe(status);
});

test('an endpoint that nobody allowed is refused', async () => {
  expect((await post({ 'service-endpoint': 'http://169.254.169.254/' })).status).toBe(403);
});

test('without a key, 401', async () => {
  expect((await post({ 'service-api-key': 'none' })).status).toBe(401);
});

test('health is a sentence', async () => {
  const answer = await fetch(fixture.url.replace(/mcp$/, 'health'));
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toBe('The Roadstead MCP server is running.\n');
});
