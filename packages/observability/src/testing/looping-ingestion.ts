import { createLog } from '@roadstead/kit';
import { loopInRounds } from '@roadstead/testing/processes';
import type { IngestionWork } from '../ingestion/ingestion-messages.ts';
import { IngestionThread, type ThreadLimits } from '../ingestion/ingestion-thread.ts';

/** A process whose threads of ingestion loop for ever. */

export interface IngestionLoops {
  readonly rounds: number;
  readonly work: IngestionWork;
  readonly workspace_id: string;
  /** What the thread is sent. */
  readonly sent: string;
  readonly limits: ThreadLimits;
}

const loops = JSON.parse(process.argv[2] ?? '{}') as IngestionLoops;
const { rounds, work, limits, workspace_id, sent } = loops;
const log = createLog({ level: 'warn', write: (line) => void process.stderr.write(line) });

await loopInRounds(rounds, () => {
  const thread = new IngestionThread(work, log, limits);
  const bytes = Buffer.from(sent);
  return { thread, ask: () => thread.take({ dialect: 'run', workspace_id, bytes }) };
});
