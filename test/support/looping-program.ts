import { BroadcastChannel } from 'node:worker_threads';
import { createLog } from '../../packages/kit/src/index.ts';
import { Evaluators } from '../../packages/mcp-server/src/evaluators/evaluators.ts';
import { SchemaChecker } from '../../packages/observability/src/schemas/schema-checker.ts';
import type { IngestionWork } from '../../packages/observability/src/ingestion/ingestion-messages.ts';
import {
  IngestionThread,
  type ThreadLimits,
} from '../../packages/observability/src/ingestion/ingestion-thread.ts';

/** A process whose threads loop for ever, one after the other, and are ended for it (`looping-threads.ts`). */

export interface Loops {
  readonly kind: keyof typeof opened;
  readonly rounds: number;
  /** What the thread of ingestion works on, what it is sent, and its limits. */
  readonly ingestion?: {
    readonly work: IngestionWork;
    readonly workspace_id: string;
    readonly sent: string;
    readonly limits: ThreadLimits;
  };
}

interface LoopingThread extends AsyncDisposable {
  /** Asks the thread; rejects where it does not answer in time and is ended. */
  ask(): Promise<unknown>;
}

const loops = JSON.parse(process.argv[2] ?? '{}') as Loops;
const log = createLog({ level: 'warn', write: (line) => void process.stderr.write(line) });

/** Every kind of thread that is ended when it does not answer. */
const opened = {
  ingestion: () => {
    if (loops.ingestion === undefined) throw new Error('It needs what the thread works on.');
    const { work, limits, workspace_id, sent } = loops.ingestion;
    const thread = new IngestionThread(work, log, limits);
    return asked(thread, () => thread.take({ dialect: 'run', workspace_id, bytes: Buffer.from(sent) }));
  },
  schemas: () => {
    const checker = new SchemaChecker();
    return asked(checker, () =>
      checker.requireSchemas({ workspace_id: 'any', inputs_schema_definition: { type: 'object' } }),
    );
  },
  evaluators: () => {
    const evaluators = new Evaluators({ codes: { any: '() => 1' } });
    return asked(evaluators, () => evaluators.check());
  },
};

function asked(owner: AsyncDisposable, ask: LoopingThread['ask']): LoopingThread {
  return { ask, [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose]() };
}

const channel = new BroadcastChannel('loop');

for (let round = 1; round <= loops.rounds; round += 1) {
  await using thread: LoopingThread = opened[loops.kind]();
  await thread.ask();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads, no window
  channel.postMessage('now');
  // It may answer once more before it hears of it.
  while (
    await thread.ask().then(
      () => true,
      () => false,
    )
  );
  await thread.ask();
  process.stdout.write(`${round}\n`);
}
channel.close();
