import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the data of one platform. */
export interface DataHome extends AsyncDisposable {
  readonly path: string;
}

export async function dataHome(): Promise<DataHome> {
  const path = await mkdtemp(join(tmpdir(), 'roadstead-story-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
