/** An event of the event-streaming protocol, before it has its number. */
export interface UnnumberedEvent {
  readonly method: string;
  readonly namespace: readonly string[];
  /** Milliseconds. */
  readonly timestamp: number;
  readonly data: unknown;
  readonly node?: string;
}

/** An event as clients get it. */
export interface ProtocolEvent {
  readonly type: 'event';
  readonly event_id: string;
  readonly seq: number;
  readonly method: string;
  readonly params: Omit<UnnumberedEvent, 'method'>;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Events of a run are counted from 1, and that count follows the number of the run on its thread. JSON's numbers are
 * exact to 2^53, which leaves room for 2^21 runs of 2^32 events.
 */
const RUN_SIZE = 2 ** 32;

export const seqIn = (run_number: number, count: number): number => run_number * RUN_SIZE + count;

export const runNumberOf = (seq: number): number => Math.floor(seq / RUN_SIZE);

export function numbered({ method, ...params }: UnnumberedEvent, seq: number): ProtocolEvent {
  return { type: 'event', event_id: String(seq), seq, method, params };
}
