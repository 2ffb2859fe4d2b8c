import { expect } from 'vitest';
import type { Arguments, Caller } from './mcp-fixture.ts';

/** What tools answer, as tests look at it. */

export type Record_ = Readonly<Record<string, unknown>>;

/** What a call that works answers; it is never longer than a page. */
export async function answered(caller: Caller, name: string, given: Arguments = {}): Promise<Record_> {
  const { structuredContent, isError, content } = await caller.call(name, given);
  if (isError === true) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
  expect(content?.[0]?.text).toBe(JSON.stringify(structuredContent));
  expect(content?.[0]?.text?.length).toBeLessThanOrEqual(30_000);
  return structuredContent ?? {};
}

/** The records of an answer. */
export const recordsIn = (answer: Record_, key: string) => answer[key] as Record_[];

/** What stands under a name in each of the records of an answer. */
export async function listed(
  caller: Caller,
  name: string,
  { key, member = 'name', ...given }: Arguments & { readonly key: string; readonly member?: string },
): Promise<unknown[]> {
  return recordsIn(await answered(caller, name, given), key).map((record) => record[member]);
}

/** What a refusal looks like: for `toMatchObject`. */
export const refusal = (code: string, says: RegExp) => ({
  isError: true,
  structuredContent: {
    error: {
      code,
      message: expect.stringMatching(says) as string,
      hint: expect.stringMatching(/\w/) as string,
    },
  },
});
