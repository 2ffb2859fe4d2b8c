import { z } from 'zod';

/** What an assistant does best after an answer: calls of other tools, as it would write them. */

export const nextOutput = { next: z.array(z.string()) };

/** Such as `get_run {"run_id":"…"}`; arguments that are undefined are left out. */
export function nextCall(tool: string, given: Readonly<Record<string, unknown>>): string {
  return `${tool} ${JSON.stringify(given)}`;
}
