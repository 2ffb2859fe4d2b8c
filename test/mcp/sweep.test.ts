import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { type Answer, startMcpFixture, ways } from './mcp-fixture.ts';
import { seed, sender } from './seed.ts';
import { type ListedTool, type Shape, shapesOf } from './shapes.ts';
import { judgeOf } from './sound-answer.ts';
import { inTurns } from './turns.ts';
import { startWholeApi } from './whole-api.ts';

/** Every tool with every shape of arguments, by each official client over each transport and in each era. */

const fixture = useFixture(() => startMcpFixture({ open: startWholeApi }));
const known = useFixture(() =>
  seed(sender(fixture().api_url, fixture().headers['SERVICE-API-KEY'] ?? ''), 'amber'),
);

describe.each(ways)('when the caller is %s', (way) => {
  test('when every tool gets every shape of arguments, then it answers soundly', async () => {
    await using caller = await fixture().connect(way, { toolsets: 'all' });
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
    const shapes = tools.flatMap((tool) => shapesOf(tool, known()));
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
    expect(await inTurns(reads, judged)).toEqual([]);
    expect(await inTurns(acts, judged)).toEqual([]);
    expect([...found].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    // Each input has six shapes at least, so that a listing without inputs is noticed.
    expect(shapes.length).toBeGreaterThan(20 * tools.length);
  });
});

/** An answer as text, without how often prompts were used: other calls of the sweep use them meanwhile. */
const withoutUses = (answer: Answer) =>
  JSON.stringify(answer).replaceAll(/(num_(?:views|downloads)\\*":)\d+/g, '$1');
