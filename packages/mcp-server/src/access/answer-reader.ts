import { ApiError } from '@roadstead/contracts';
import { capped } from '@roadstead/http';
import { parseJson } from '@roadstead/json';
import { joined, Problem } from '@roadstead/kit';

/** Reads answers of an API with data that tenants recorded: in time slices, and up to a limit. */

const MAX_BYTES = 33_554_432;
const LIMITS = { max_bytes: MAX_BYTES, max_depth: 1000, max_values: 3_000_000, max_keys: 3_000_000 };

/**
 * The JSON of an answer, or its text where it is none.
 * @throws Problem `too_large`, after which less may be requested
 */
export async function readAnswer(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of capped(response.body, MAX_BYTES)) chunks.push(chunk);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new ApiError('The endpoint broke off its answer.', { status: 0, cause });
  }
  const bytes = await joined(chunks);
  try {
    return await parseJson(bytes, LIMITS);
  } catch (error) {
    if (error instanceof Problem && error.kind === 'malformed') return bytes.toString('utf8', 0, 1000);
    throw error;
  }
}

/** Whether an answer was too large to be read. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Problem && error.kind === 'too_large';
}
