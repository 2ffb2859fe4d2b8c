import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Python, pythonWith } from '@roadstead/testing/processes';
import { type McpFixture, startMcpFixture } from './mcp-fixture.ts';
import { seed, sender } from './seed.ts';
import { type ListedTool, type Shape, shapesOf } from './shapes.ts';
import { judgeOf } from './sound-answer.ts';
import { startWholeApi } from './whole-api.ts';

/** Every tool with every shape of arguments by the clients in Python: both generations of the official one, FastMCP and LangChain’s. */

const script = fileURLToPath(new URL('python/clients.py', import.meta.url));

const generations = [
  ['1', ['mcp 1.x', 'langchain-mcp-adapters']],
  ['2', ['mcp 2.x, 2026-07-28', 'mcp 2.x, 2025', 'fastmcp']],
] as const;

interface ToolResult {
  readonly client: string;
  readonly at: number;
  readonly is_error: boolean;
  readonly structured: Readonly<Record<string, unknown>> | null;
  readonly text: string;
}

/** Which packages each generation takes, installed at the same time. */
const pythons = new Map(
  await Promise.all(
    generations.map(async ([generation]) => {
      const pins = new URL(`python/requirements-${generation}.txt`, import.meta.url);
      const packages = (await readFile(pins, 'utf8')).trim().split('\n');
      return [generation, await pythonWith(packages)] as const;
    }),
  ),
);

test.for(generations)(
  'when clients of generation %s call every tool, then it answers: %j',
  async ([generation, clients], { skip }) => {
    const python = pythons.get(generation);
    if (typeof python !== 'object') return skip(python);
    await using fixture = await startMcpFixture({ open: startWholeApi });
    const known = await seed(sender(fixture.api_url, fixture.headers['SERVICE-API-KEY'] ?? ''), 'amber');
    await using caller = await fixture.connect('client 2.x, HTTP, 2025', { toolsets: 'all' });
    const { tools } = (await caller.listTools()) as { tools: ListedTool[] };
    const shapes = tools.flatMap((tool) => shapesOf(tool, known));
    const judge = judgeOf(tools);
    const told = await tellings(python, { generation, fixture, shapes });
    for (const client of clients) {
      const of_it = told.filter((one) => one.client === client);
      const isTold = with_published.has(client) ? isPublished : () => true;
      expect(of_it.length).toBe(shapes.filter(isTold).length);
      const succeeded = of_it.filter(isDone).map(({ at }) => shapes[at]?.tool ?? '');
      expect([...new Set(succeeded)].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
      const faults = of_it.flatMap(({ at, is_error, structured, text }) => {
        const shape = shapes[at] as Shape;
        // What this client makes of a refusal is a text.
        if (structured === null && is_error && client === 'langchain-mcp-adapters') return [];
        const answer = {
          isError: is_error,
          structuredContent: structured ?? {},
          content: [{ type: 'text', text }],
        };
        return judge(shape, answer).map(
          (fault) => `${client}, ${shape.says} ${fault}: ${text.slice(0, 300)}`,
        );
      });
      expect(faults).toEqual([]);
    }
  },
);

/** What one client has made is there already when the next one makes it. */
const isDone = ({ is_error, structured, text }: ToolResult) =>
  !is_error || (structured === null ? text.includes('already') : codeOf(structured) === 'conflict');
const codeOf = ({ error }: Readonly<Record<string, unknown>>) =>
  (error as { code?: string } | undefined)?.code;

/** The one refuses other values itself, the other is asked all of them in the newer era. */
const with_published: ReadonlySet<string> = new Set(['langchain-mcp-adapters', 'mcp 2.x, 2025']);
const isPublished = ({ as_published }: Shape) => as_published === true;

interface CallPlan {
  readonly generation: string;
  readonly fixture: McpFixture;
  readonly shapes: readonly Shape[];
}

async function tellings(python: Python, { generation, fixture, shapes }: CallPlan): Promise<ToolResult[]> {
  const child = spawn('python3', ['-s', script, generation], {
    env: python.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const calls = shapes.map(({ tool, given = null, as_published = false }) => ({ tool, given, as_published }));
  child.stdin.end(
    JSON.stringify({ url: fixture.url, headers: { ...fixture.headers, 'X-MCP-Toolsets': 'all' }, calls }),
  );
  const told: ToolResult[] = [];
  for await (const line of createInterface({ input: child.stdout }))
    told.push(JSON.parse(line) as ToolResult);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`The clients in Python ended with ${code} after ${told.length} answers.`);
  return told;
}
