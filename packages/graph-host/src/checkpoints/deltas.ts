import type { DeltaHistory } from '@roadstead/contracts/host';
import type {
  Checkpoint,
  CompiledGraph,
  RunnableConfig,
  SavedTuple,
  Serde,
} from '../values/langgraph-types.ts';

/** Channels that LangGraph stores as differences to their value in an earlier checkpoint. */

export interface DeltaOptions {
  readonly config: RunnableConfig;
  readonly channels: readonly string[];
}

/** Histories by channel, as LangGraph has them: a channel without a seed begins empty. */
export type DeltaHistories = Readonly<
  Record<
    string,
    { readonly writes: readonly (readonly [string, string, unknown])[]; readonly seed?: unknown }
  >
>;

export const noDeltas = (channels: readonly string[]): DeltaHistories =>
  Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));

// oxlint-disable-next-line roadstead/two-positional -- a serializer, what there is, and its bytes
export async function loadDeltas(
  serde: Serde,
  histories: readonly DeltaHistory[],
  blobs: readonly Uint8Array[],
): Promise<DeltaHistories> {
  const value = ({ type, blob }: { readonly type: string; readonly blob: number }) =>
    serde.loadsTyped(type, blobs[blob] ?? new Uint8Array());
  const loaded = histories.map(async ({ channel, seed, writes }) => {
    const written = writes.map(async (one) => [one.task_id, channel, await value(one)] as const);
    const history = { writes: await Promise.all(written) };
    return [channel, seed === undefined ? history : { ...history, seed: await value(seed) }] as const;
  });
  return Object.fromEntries(await Promise.all(loaded));
}

/** All values that the channels held on the way, in no order. */
export function valuesIn(histories: DeltaHistories): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    Object.entries(histories).map(([channel, { writes, seed }]) => {
      const whole = (seed as { readonly value?: unknown } | null | undefined)?.value ?? seed;
      return [channel, [whole, ...writes.map(([, , value]) => value)].flat(1)];
    }),
  );
}

/** The channels of a checkpoint whose values may stand in those before it. */
export function deltasOf({ checkpoint, metadata }: SavedTuple): string[] {
  const { channel_versions, channel_values }: Checkpoint = checkpoint;
  const counted = (metadata as { counters_since_delta_snapshot?: object } | null)
    ?.counters_since_delta_snapshot;
  return Object.keys(counted ?? {}).filter(
    (channel) => channel in channel_versions && !(channel in channel_values),
  );
}

/** Whether a graph stores any channel so. */
export const storesDeltas = ({ channels = {} }: Pick<CompiledGraph, 'channels'>): boolean =>
  Object.values(channels).some(
    (channel) => (channel as { readonly lc_graph_name?: unknown } | null)?.lc_graph_name === 'DeltaChannel',
  );
