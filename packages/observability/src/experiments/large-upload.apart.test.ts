import { longestHold } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** The body in pieces, like over a connection. */
function inPieces(bytes: Uint8Array) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
  return { body: ReadableStream.from(pieces), duplex: 'half' as const };
}

it('when an experiment of 5,500 rows and 20 MB is uploaded, then it holds nobody up', async () => {
  await using fixture = await startFixture();
  const instant = '2026-01-01T00:00:00Z';
  const body = Buffer.from(
    JSON.stringify({
      experiment_name: 'large',
      dataset_name: 'large',
      experiment_start_time: instant,
      experiment_end_time: instant,
      results: Array.from({ length: 5500 }, (_, index) => ({
        inputs: { question: `${index} ${'why? '.repeat(300)}` },
        expected_outputs: { answer: `${index}` },
        actual_outputs: { answer: 'because '.repeat(260) },
        evaluation_scores: [{ key: 'correctness', score: index / 5500 }],
        start_time: instant,
        end_time: instant,
        run_metadata: { model: 'm', step: index },
      })),
    }),
  );
  let answer: Response | undefined;
  const held_ms = await longestHold(async () => {
    answer = await fixture.send('/datasets/upload-experiment', { method: 'POST', ...inPieces(body) });
  });
  expect(answer?.status).toBe(200);
  const { count } = await fixture.fresh.db.one<{ count: number }>(
    'select count(*) as count from traces.runs',
  );
  expect(count).toBe(5500);
  // The bound is 50 ms; the rest is for slow machines.
  expect(held_ms).toBeLessThan(100);
});
