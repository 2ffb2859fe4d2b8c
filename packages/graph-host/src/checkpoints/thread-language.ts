/** Threads that graphs in Python wrote: their values are bytes that no serializer of JavaScript reads. */

/** A state that can't be read here. The message is a sentence for whoever called. */
class ThreadLanguageError extends Error {
  override readonly name = 'ThreadLanguageError';
  /** So its reason reaches the caller, as that of a graph that rejects its input. */
  readonly a2a = 'reject';

  constructor() {
    super(
      'The state of this thread was written by graphs in Python, and the agent is now one in JavaScript, which can’t read it. ' +
        'Begin a new thread, or roll the deployment back to a revision in Python.',
    );
  }
}

/**
 * Only Python leaves plain values in the checkpoint itself.
 * @throws ThreadLanguageError for a checkpoint that Python wrote.
 */
export function checkLanguage(checkpoint: object): void {
  if ('channel_values' in checkpoint) throw new ThreadLanguageError();
}
