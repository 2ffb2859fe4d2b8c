import { z } from 'zod';

/** Suggests the best next calls after an answer, in the form in which an assistant would write them. */

export const nextOutput = { next: z.array(z.string()) };

/** The length of one call, so that it takes little of the answer’s room. */
const MAX_LENGTH = 400;

/** For example `get_run {"run_id":"…"}`, without undefined arguments; just the tool’s name where they are long. */
export function nextCall(tool: string, given: Readonly<Record<string, unknown>>): string {
  const call = `${tool} ${JSON.stringify(given)}`;
  return call.length > MAX_LENGTH ? tool : call;
}
