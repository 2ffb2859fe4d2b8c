import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPlace, openBlobs } from '@roadstead/blobs';
import { silentLog, systemClock } from '@roadstead/kit';
import { type FreshDatabase, freshDatabase } from '@roadstead/testing';
import { type Ingestion, openIngestion } from '../ingestion/ingestion.ts';
import type { IngestionWork } from '../ingestion/ingestion-messages.ts';
import { IngestionThread, type ThreadLimits } from '../ingestion/ingestion-thread.ts';
import { migrations } from '../migrations/index.ts';
import { ensurePartition } from '../partitions/partition-store.ts';
import { partitionsAhead } from '../partitions/week-rules.ts';
import type { FixtureOptions } from './observability-fixture.ts';

/** Ingestion without the service around it, on a database of its own. */

export interface IngestionFixture extends AsyncDisposable {
  readonly fresh: FreshDatabase;
  readonly ingestion: Ingestion;
  /** The configuration of its thread. */
  readonly work: IngestionWork;
}

export async function startIngestion({
  thread = false,
  log = silentLog,
  limits,
}: Pick<FixtureOptions, 'thread' | 'log'> & {
  readonly limits?: ThreadLimits;
} = {}): Promise<IngestionFixture> {
  await using stack = new AsyncDisposableStack();
  const fresh = stack.use(await freshDatabase('traces', [{ schema: 'traces', migrations }]));
  for (const key of partitionsAhead(Date.now())) await ensurePartition(fresh.db, key);
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), 'roadstead-ingestion-')));
  const work: IngestionWork = { database_url: fresh.url, blobs: folderPlace(path), allowance: {} };
  const blobs = await openBlobs(work.blobs, 'attachments');
  const here = { db: fresh.db, blobs, clock: systemClock, log, allowance: {} };
  const ingestion = stack.use(thread ? new IngestionThread(work, log, limits) : openIngestion(here));
  const opened = stack.move();
  return { fresh, ingestion, work, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
