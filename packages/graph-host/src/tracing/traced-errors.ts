import type { Tracer } from './lean-tracer.ts';

/** How the user's own LangChain tracer writes down what a graph throws. */

/** The names by which ingestion knows what has not failed. */
const NAMES = new Set(['GraphInterrupt', 'NodeInterrupt', 'ParentCommand', 'GraphDrained']);

/**
 * An error that LangGraph throws to ask, to hand on or to stop is no failure. Its own predicate says so for a class of any
 * name; others know it by its text, which is the name and what it says.
 */
export function nameBubbleUps({
  prototype: tracer,
}: {
  readonly prototype: Pick<Tracer, 'stringifyError'>;
}): void {
  const original = tracer.stringifyError;
  if (original === undefined) return;
  tracer.stringifyError = function (error) {
    return isBubbleUp(error) ? textOf(error) : original.call(this, error);
  };
}

const isBubbleUp = (error: unknown): error is Error =>
  error instanceof Error && (error as { readonly is_bubble_up?: unknown }).is_bubble_up === true;

const textOf = ({ name, message }: Error) => `${NAMES.has(name) ? name : 'GraphInterrupt'}(${message})`;
