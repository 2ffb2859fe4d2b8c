import { uuidv7 } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { LATEST, startMcpFixture } from './mcp-fixture.ts';

/** No more of a batch is read than may be shown, and as much is shown as there is room for. */

const runsOf = (project: string, count: number, inputs: object) =>
  Array.from({ length: count }, (_, at) => ({
    id: uuidv7(),
    name: `run ${at}`,
    run_type: 'chain',
    session_name: project,
    start_time: new Date(Date.UTC(2026, 0, 5, 0, 0, at)).toISOString(),
    inputs,
  }));

test.each<[string, object, number, number]>([
  ['small runs fill the page', {}, 35, 100],
  ['large runs are as few as fit', { texts: Array.from({ length: 40 }, () => 'x'.repeat(60)) }, 2, 29],
])('when a batch of runs is fetched, then %s', async (_what, inputs, least, most) => {
  await using fixture = await startMcpFixture();
  await using caller = await fixture.connect(`client 2.x, HTTP, ${LATEST}`);
  await fixture.send(runsOf('many', 120, inputs));
  const { structuredContent, isError } = await caller.call('fetch_runs', {
    project_name: 'many',
    limit: 100,
    max_chars_per_page: 30_000,
  });
  expect(isError).not.toBe(true);
  const { runs } = structuredContent as unknown as { runs: { name: string }[] };
  expect(structuredContent).toMatchObject({ has_more: true });
  expect(JSON.stringify(structuredContent).length).toBeGreaterThan(26_000);
  expect(runs.length).toBeGreaterThanOrEqual(least);
  expect(runs.length).toBeLessThanOrEqual(most);
  expect(runs.map(({ name }) => name)).toEqual(runs.map((_, at) => `run ${119 - at}`));
});
