interface OpenConditions<Thread> {
  /** The thread that the address names. */
  readonly named: string | undefined;
  /** The thread that was open before. */
  readonly before: Thread | undefined;
  /** Whether all agents have answered. */
  readonly isComplete: boolean;
}

/**
 * The thread that is open, of those that wait: the first one, until the address names one. It stays though it waits no longer,
 * and whoever comes by an address waits until its agent has answered.
 */
export function openThread<Thread extends { readonly thread_id: string }>(
  waiting: readonly Thread[],
  { named, before, isComplete }: OpenConditions<Thread>,
): Thread | undefined {
  if (named === undefined) return waiting[0];
  const found = waiting.find(({ thread_id }) => thread_id === named);
  if (found !== undefined) return found;
  if (before?.thread_id === named) return before;
  return isComplete ? waiting[0] : undefined;
}
