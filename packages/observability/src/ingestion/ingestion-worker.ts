import { parentPort, workerData } from 'node:worker_threads';
import { openBlobs } from '@roadstead/blobs';
import { systemClock, tendHeap } from '@roadstead/kit';
import { openServiceDatabase } from '@roadstead/service';
import { openIngestion } from './ingestion.ts';
import {
  type WorkerRequest,
  failureOf,
  type IngestionWork,
  type Question,
  type WorkerMessage,
  sendingLog,
} from './ingestion-messages.ts';

/** The thread that accepts and digests traces, on connections of its own (`ingestion-thread.ts`). */

/** Two transactions of the queue, two steps of the digest, and those who wait for it. */
const CONNECTIONS = { max: 6, kept: 1 } as const;

const { database_url, blobs: place, allowance } = workerData as IngestionWork;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const say = (said: WorkerMessage) => parentPort?.postMessage(said);
const log = sendingLog((line) => say({ line }));
// The same handler as in a process of ours (`run-service.ts`), which does not see the errors of a thread.
process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
const opened = new AsyncDisposableStack();
const db = opened.use(openServiceDatabase({ url: database_url, schema: 'traces', log, ...CONNECTIONS }));
opened.use(tendHeap());
const blobs = await openBlobs(place, 'attachments');
const ingestion = opened.use(openIngestion({ db, blobs, clock: systemClock, log, allowance }));

type Answers = {
  readonly [N in Question['name']]: (about: Extract<Question, { name: N }>['about']) => unknown;
};
const answers: Answers = {
  take: ({ bytes, ...sent }) =>
    // A transferred buffer arrives as bare bytes.
    ingestion.take({ ...sent, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }),
  wake: (workspace_id) => ingestion.wake(workspace_id),
  caughtUp: (workspace_id) => ingestion.caughtUp(workspace_id),
  forget: (workspace_id) => ingestion.forget(workspace_id),
  warnings: () => ingestion.warnings(),
  ping: () => undefined,
  close: () => opened.disposeAsync(),
};

async function answer({ id, name, about }: WorkerRequest): Promise<void> {
  try {
    say({ id, value: await (answers[name] as (of: unknown) => unknown)(about) });
  } catch (error) {
    say({ id, failure: failureOf(error) });
  }
}

parentPort?.on('message', (asked: WorkerRequest) => void answer(asked));
