import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { runIdOf } from '../otlp/span-placement-rules.ts';
import { startFixture } from '../testing/observability-fixture.ts';
import { MAX_LEVELS } from '../records/placement-rules.ts';

/** Runs nested deeper than the server places them: they are kept, and named, regardless of who makes their order. */

const fixture = useFixture(startFixture);

const BEYOND = 100;
const START = '2026-01-05T10:20:30Z';
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
type Answer = Readonly<Record<string, unknown>>;

const runsOf = (ids: readonly string[]) =>
  ids.map((id, at) => ({
    id,
    name: `level ${at + 1}`,
    run_type: 'chain',
    start_time: START,
    ...(at === 0 ? {} : { parent_run_id: ids[at - 1] }),
  }));

async function sendRuns(post: readonly object[]): Promise<string> {
  const answer = await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  expect(answer.status).toBe(202);
  return answer.text();
}

async function sendSpans(ids: readonly string[]): Promise<string> {
  const spans = ids.map((_, at) => ({
    traceId: 'ab'.repeat(16),
    spanId: spanOf(at),
    ...(at === 0 ? {} : { parentSpanId: spanOf(at - 1) }),
    name: `level ${at + 1}`,
    startTimeUnixNano: '1767603600000000000',
    endTimeUnixNano: '1767603601000000000',
  }));
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fixture().send('/v1/traces', { method: 'POST', body, headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

const spanOf = (at: number) => (at + 0xaa_0000_0000).toString(16).padStart(16, '0');
const spanIds = (count: number) => numbers(count).map((at) => runIdOf(spanOf(at)));
const ownIds = (count: number) => numbers(count).map(() => uuidv7());

/** The deepest come first, and wait for those above. */
async function sendStrays(ids: readonly string[]): Promise<string> {
  const runs = runsOf(ids);
  let answer = '';
  for (let end = runs.length; end > 0; end -= 400)
    answer = await sendRuns(runs.slice(Math.max(0, end - 400), end));
  return answer;
}

it.each([
  ['spans', spanIds, sendSpans],
  ['runs that name their parent', ownIds, async (ids: readonly string[]) => sendRuns(runsOf(ids))],
  ['runs that come before their parents', ownIds, sendStrays],
] as const)(
  'when %s are nested too deeply, then they are kept and the answer says so',
  async (_what, idsOf, send) => {
    const ids = idsOf(MAX_LEVELS + BEYOND);
    const said = await send(ids);
    const [top, deepest, beyond, last] = await Promise.all(
      [0, MAX_LEVELS - 1, MAX_LEVELS, ids.length - 1].map(
        async (at) => (await (await fixture().send(`/runs/${ids[at]}`)).json()) as Answer,
      ),
    );
    expect(deepest).toMatchObject({ trace_id: ids[0], parent_run_ids: ids.slice(0, MAX_LEVELS - 1) });
    for (const run of [beyond, last])
      expect(run).toMatchObject({ trace_id: ids[0], parent_run_ids: ids.slice(0, MAX_LEVELS - 1) });
    expect(last).toMatchObject({ parent_run_id: ids.at(-2) });
    expect(top).toMatchObject({ id: ids[0] });
    expect(said).toContain(`${beyond?.['id'] as string} stands deeper than ${MAX_LEVELS} levels`);
    expect(said).not.toContain(`${deepest?.['id'] as string} stands`);
  },
  120_000,
);
