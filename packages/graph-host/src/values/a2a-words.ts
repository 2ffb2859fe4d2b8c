/**
 * How a graph says to A2A what LangGraph has no word for: by a field `a2a`, which means nothing anywhere else, of what it
 * throws, asks or returns. See `docs/a2a-words.md`. Pure.
 */

/** `throw Object.assign(new Error('Only invoices.'), { a2a: 'reject' })`: the task is rejected, and the message is its reason. */
export const isRejection = (thrown: unknown): boolean => wordOf(thrown) === 'reject';

/** `interrupt({ a2a: 'credentials', … })`: the task waits until the caller has signed in somewhere. */
export const asksForCredentials = (asked: unknown): boolean => wordOf(asked) === 'credentials';

/** `new AIMessage({ content, additional_kwargs: { a2a: 'message' } })`: an answer that is no task's. */
export const isByItself = ({ additional_kwargs }: { readonly additional_kwargs?: unknown }): boolean =>
  wordOf(additional_kwargs) === 'message';

const wordOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { a2a?: unknown }).a2a : undefined;
