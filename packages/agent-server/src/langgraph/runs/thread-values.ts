import { readJson } from '../../json/json-text.ts';
import type { RunFace } from './run-face.ts';

/** The state of a thread as clients see it; empty where nothing has been written, since clients look into it. */
export async function readValues({ threads }: Pick<RunFace, 'threads'>, thread_id: string): Promise<unknown> {
  const { values } = await threads.read(thread_id, {});
  return (values === null ? null : await readJson<unknown>(values)) ?? {};
}
