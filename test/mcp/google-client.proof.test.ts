import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { pythonWith } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { type McpFixture, PROJECT, startMcpFixture, traceOf } from './mcp-fixture.ts';
import { uuidv7 } from '@roadstead/kit';

/** Google's SDK for Python makes functions of every tool before it asks a model, and refuses them all where one has a form that it lacks. */

const script = fileURLToPath(new URL('python/google_models.py', import.meta.url));
const pins = new URL('python/requirements-google.txt', import.meta.url);
const python = useFixture(async () => pythonWith((await readFile(pins, 'utf8')).trim().split('\n')));

interface ClientReport {
  readonly declared: readonly string[];
  readonly answered: unknown;
}

async function useTools(env: Readonly<Record<string, string>>, fixture: McpFixture): Promise<ClientReport> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile('python3', ['-s', script], { env }, (error, out) =>
    error === null ? resolve(out) : reject(error),
  );
  child.stdin?.end(
    JSON.stringify({ url: fixture.url, headers: { ...fixture.headers, 'X-MCP-Toolsets': 'all' } }),
  );
  return JSON.parse(await promise) as ClientReport;
}

test('when a model is given our tools by google-genai, then it has all of them and can call one', async ({
  skip,
}) => {
  const client = python();
  if (typeof client === 'string') return skip(client);
  await using fixture = await startMcpFixture();
  await fixture.send(traceOf(uuidv7(), 1));
  await using caller = await fixture.connect('client 2.x, HTTP, 2025', { toolsets: 'all' });
  const { tools } = await caller.listTools();
  const { declared, answered } = await useTools(client.env, fixture);
  expect(declared.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  expect(declared.length).toBeGreaterThan(25);
  expect(JSON.stringify(answered)).toContain(PROJECT);
});
