import { expect, test } from 'vitest';
import { uuidv7 } from '../../packages/kit/src/index.ts';
import { startIngestion } from '../../packages/observability/src/testing/ingestion-fixture.ts';
import { WORKSPACE } from '../../packages/observability/src/testing/observability-fixture.ts';
import type { IngestionLoops } from '../../packages/observability/src/testing/looping-ingestion.ts';
import { sentRoot } from '../../packages/observability/src/testing/sent-runs.ts';
import { loopInProcess } from '@roadstead/testing/processes';
import type { Loops } from '../support/looping-program.ts';

/** A process that ends a looping thread lives on, for every kind of thread. */

const looping = new URL('../support/looping-program.ts', import.meta.url);
const loopingIngestion = new URL(
  '../../packages/observability/src/testing/looping-ingestion.ts',
  import.meta.url,
);
const ROUNDS = 100;
const survived = { rounds: ROUNDS, code: 0, signal: null };

test.concurrent.for(['schemas', 'evaluators'] as const)(
  'when threads of %s loop a hundred times, then their process lives on',
  async (kind) => {
    expect(await loopInProcess(looping, { kind, rounds: ROUNDS } satisfies Loops)).toEqual({
      ...survived,
      lines: [],
    });
  },
);

test.concurrent('when threads of ingestion loop a hundred times, then their process lives on', async () => {
  await using fixture = await startIngestion();
  const limits = { start_ms: 60_000, ping_ms: 20, silent_ms: 500, unresponsive_ms: 1500 };
  const loops: IngestionLoops = {
    rounds: ROUNDS,
    work: fixture.work,
    workspace_id: WORKSPACE,
    sent: sentRoot(uuidv7()),
    limits,
  };
  const { lines, ...ended } = await loopInProcess(loopingIngestion, loops);
  expect(ended).toEqual(survived);
  expect(lines.filter((line) => line.includes('the ingestion thread ended'))).toHaveLength(ROUNDS);
});
