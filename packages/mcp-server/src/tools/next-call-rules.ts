import { z } from 'zod';

/** What an assistant does best after an answer: calls of other tools, as it would write them. */

export const nextOutput = { next: z.array(z.string()) };

/** Of one call, so that it takes little of the answer’s room. */
const MAX_LENGTH = 400;

/** Such as `get_run {"run_id":"…"}`, without arguments that are undefined; where they are long, the tool’s name. */
export function nextCall(tool: string, given: Readonly<Record<string, unknown>>): string {
  const call = `${tool} ${JSON.stringify(given)}`;
  return call.length > MAX_LENGTH ? tool : call;
}
