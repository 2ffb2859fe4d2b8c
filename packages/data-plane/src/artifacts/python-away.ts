import { Problem } from '@roadstead/kit';
import { SourceAway } from '../ports/source-away.ts';

/** Waits for uv or a Python: the host that has them may be away for a while, like the host of a source. */
export async function orAway<T>(asked: Promise<T>): Promise<T> {
  return await asked.catch((error: unknown) => {
    throw error instanceof Problem && error.kind === 'unavailable' ? new SourceAway(error) : error;
  });
}
