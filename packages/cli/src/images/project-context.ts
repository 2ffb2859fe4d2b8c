import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Problem } from '@roadstead/kit';
import { listSource } from '../deployments/pack.ts';
import { linesOf } from '../deployments/pack-rules.ts';
import { copyStill } from './still-copy.ts';

export interface ProjectContext extends AsyncDisposable {
  readonly folder: string;
  /** The paths in it. */
  readonly files: readonly string[];
}

/** Any time does: what is built depends on content alone, and the same sources find the same layers again. */
const TIME_S = 499_162_500;

/** Copies what a deployment of a folder would send: without secrets, installed packages and what ignore files name. */
export async function openProjectContext(
  folder: string,
  onProgress: (line: string) => void,
): Promise<ProjectContext> {
  const { files, left_out } = await listSource(folder);
  if (files.length === 0) throw new Problem('invalid', `${folder} holds nothing to build.`);
  for (const line of linesOf(left_out)) onProgress(line);
  const copy = await mkdtemp(join(tmpdir(), 'roadstead-build-'));
  const discard = () => rm(copy, { recursive: true, force: true });
  try {
    for (const path of files) {
      await mkdir(dirname(join(copy, path)), { recursive: true });
      await copyStill({ from: join(folder, path), to: join(copy, path), time_s: TIME_S });
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return { folder: copy, files, [Symbol.asyncDispose]: discard };
}

/** The same files for who builds from the folder itself: all others are ignored. */
export const ignoreLines = (files: readonly string[]): string[] => [
  '**',
  ...files.map((path) => `!${path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}`),
];
