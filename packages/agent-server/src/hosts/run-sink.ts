/**
 * Does what waits for something else than the database, such as a graph host, without a question's place meanwhile: few
 * questions have one at a time.
 */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>;

/** The requests and messages of a run's host while it runs. */
export interface RunSink {
  ask(
    method: string,
    params: unknown,
    blobs: readonly Uint8Array[],
    aside?: Aside,
  ): Promise<{ result: unknown; blobs?: readonly Uint8Array[] }>;
  tell(method: string, params: unknown, blobs: readonly Uint8Array[]): void;
}
