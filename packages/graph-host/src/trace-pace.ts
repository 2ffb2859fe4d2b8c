/** Ended runs whose traces may wait to be sent: a run that would begin beyond them waits, too. */
const MAX_UNSENT = 250;
/** From so many on the client is asked when it has sent them. */
const ASK_AT = 50;
/** Where traces can't be sent, runs go on all the same. */
const LONGEST_WAIT_MS = 2000;

export interface TracePace {
  /** Until a run may begin. */
  turn(): Promise<void>;
  /** A run has ended; its trace is on its way. */
  ended(): void;
}

/**
 * The user's own tracing client sends in the background and keeps what it has not sent. In a host that never rests it
 * would gather without end, so that runs wait for it.
 * @param flush resolves when the client has nothing left to send.
 */
export function createTracePace(flush: () => Promise<void>): TracePace {
  let ended = 0;
  let sent = 0;
  let flushing: Promise<void> | undefined;
  const start = () =>
    (flushing ??= (async () => {
      const until = ended;
      await flush().catch(() => undefined);
      sent = until;
      flushing = undefined;
    })());
  return {
    async turn() {
      if (ended - sent < MAX_UNSENT) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_WAIT_MS)));
      await Promise.race([start(), late]);
      clearTimeout(timer);
    },
    ended() {
      ended += 1;
      if (ended - sent >= ASK_AT) void start();
    },
  };
}
