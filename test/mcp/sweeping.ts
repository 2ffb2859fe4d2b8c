import { expect } from 'vitest';
import { type Answer, type McpFixture, startMcpFixture, type Way } from './mcp-fixture.ts';
import { seed, sender } from './seed.ts';
import { type KnownInputs, type ListedTool, type Shape, shapesOf } from './shapes.ts';
import { judgeOf } from './sound-answer.ts';
import { inTurns } from './turns.ts';
import { startWholeApi } from './whole-api.ts';

/** Every tool and, for each, the values that are there to be found. */
export interface SweptTools extends AsyncDisposable {
  readonly fixture: McpFixture;
  readonly known: KnownInputs;
}

export async function startSweptTools(): Promise<SweptTools> {
  const fixture = await startMcpFixture({ open: startWholeApi });
  const key = fixture.headers['SERVICE-API-KEY'] ?? '';
  const known = await seed(sender(fixture.api_url, key), 'amber');
  return { fixture, known, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

/**
 * Asks every tool with each shape, or with those at some places, and gives the faults of the answers. The first shape of a tool is always
 * sent: it has what the tool needs, so that every tool finds something, or makes it.
 */
export async function sweep(
  { fixture, known }: SweptTools,
  { way, sent }: { readonly way: Way; readonly sent: 'all' | ((at: number) => boolean) },
): Promise<string[]> {
  await using caller = await fixture.connect(way, { toolsets: 'all' });
  const { tools } = (await caller.listTools()) as { tools: ListedTool[] };
  const judge = judgeOf(tools);
  const acting = new Set(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
  );
  const answers = new Map<string, Promise<Answer>>();
  const ask = (tool: string, given: Shape['given']) => {
    const call = JSON.stringify([tool, given]);
    const asked = answers.get(call) ?? caller.call(tool, given);
    answers.set(call, asked);
    return asked;
  };
  const every = tools.flatMap((tool) => shapesOf(tool, known));
  const isFirst = (shape: Shape, at: number) => shape.tool !== every[at - 1]?.tool;
  const shapes = every.filter((shape, at) => sent === 'all' || isFirst(shape, at) || sent(at));
  const found = new Set<string>();
  const judged = async (shape: Shape) => {
    const answer = await ask(shape.tool, shape.given);
    // What one client has made is there already when the next one makes it.
    const { code } = (answer.structuredContent?.['error'] ?? {}) as { code?: string };
    if (answer.isError !== true || code === 'conflict') found.add(shape.tool);
    const wrong = judge(shape, answer);
    if (shape.same_as !== undefined && !acting.has(shape.tool)) {
      const other = await ask(shape.tool, shape.same_as);
      if (withoutUses(answer) !== withoutUses(other)) wrong.push('is not what the plain value gives');
    }
    return wrong.map((fault) => `${shape.says} ${fault}: ${JSON.stringify(answer).slice(0, 300)}`);
  };
  // What acts comes after what reads, so that nothing changes between two answers that must be the same.
  const [reads = [], acts = []] = [false, true].map((is) =>
    shapes.filter(({ tool }) => acting.has(tool) === is),
  );
  const faults = [...(await inTurns(reads, judged)), ...(await inTurns(acts, judged))];
  expect([...found].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  // Each input has six shapes at least, so that a listing without inputs is noticed.
  expect(every.length).toBeGreaterThan(20 * tools.length);
  return faults;
}

/** An answer as text, without how often prompts were used: other calls of the sweep use them meanwhile. */
const withoutUses = (answer: Answer) =>
  JSON.stringify(answer).replaceAll(/(num_(?:views|downloads)\\*":)\d+/g, '$1');
