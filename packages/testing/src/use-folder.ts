import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useFixture, useFixturePerTest } from './use-fixture.ts';

/** An empty folder for the tests of a file or suite, removed after them. */
export function useFolder(prefix: string): () => string {
  const folder = useFixture(() => openFolder(prefix));
  return () => folder().path;
}

/** An empty folder for each test, removed after it. */
export function useFolderPerTest(prefix: string): () => string {
  const folder = useFixturePerTest(() => openFolder(prefix));
  return () => folder().path;
}

async function openFolder(prefix: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  // What a test has started may still write as it ends.
  const patiently = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  return { path, [Symbol.asyncDispose]: () => rm(path, patiently) };
}
