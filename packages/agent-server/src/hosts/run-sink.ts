import type { HostMessage, HostQuestion } from '@roadstead/contracts/host';

/**
 * Does what waits for something else than the database, such as a graph host, without a question's place meanwhile: few
 * questions have one at a time.
 */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>;

/** The parts that come beside a question. */
export interface Beside {
  readonly blobs: readonly Uint8Array[];
  readonly aside?: Aside;
}

/** The questions and messages of a run's host while it runs. */
export interface RunSink {
  ask(
    question: HostQuestion,
    beside: Beside,
  ): Promise<{ readonly result: unknown; readonly blobs?: readonly Uint8Array[] }>;
  tell(message: HostMessage, blobs: readonly Uint8Array[]): void;
}
