import type { HostEvent } from './protocol.ts';

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

/** So many of the last are known on both sides. */
export const MAX_SHARED_PARTS = 16;

/**
 * What a host says once for many events of a run: the metadata of a model's message is the same with each of its pieces, and several
 * times as long as they are.
 */
export class SharedParts {
  readonly #parts = new Map<number, unknown>();
  readonly #max: number;

  constructor(max = MAX_SHARED_PARTS) {
    this.#max = max;
  }

  /**
   * The event as it is meant.
   * @throws where it names what was not said
   */
  whole({ shares, shared, ...event }: StreamEvent): StreamEvent {
    const data = event.data as readonly unknown[];
    if (shares !== undefined) {
      this.#parts.set(shares, data.at(-1));
      this.#parts.delete(shares - this.#max);
    }
    if (shared === undefined) return event;
    if (!this.#parts.has(shared) || !Array.isArray(data))
      throw new Error('An event shares what was not said.');
    return { ...event, data: [...data, this.#parts.get(shared)] };
  }
}
