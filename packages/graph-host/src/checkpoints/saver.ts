import type {
  CheckpointPut,
  CheckpointTuple,
  CheckpointWrites,
  EngineCalls,
  HostCalls,
  HostTells,
  NoTells,
} from '@roadstead/contracts/host';
import type { Peer } from '@roadstead/contracts/host-peer';
import { isPlain, messageSerde } from '../values/message-serde.ts';
import { type DeltaHistories, type DeltaOptions, loadDeltas, noDeltas, valuesIn } from './deltas.ts';
import { withoutAnswered } from './question-rules.ts';
import { checkLanguage } from './thread-language.ts';
import { turnOfFew } from '../values/turns.ts';
import type {
  Checkpoint,
  CheckpointModule,
  RunnableConfig,
  SavedTuple,
  Serde,
} from '../values/langgraph-types.ts';

export type HostPeer = Peer<HostCalls, HostTells, EngineCalls, NoTells>;

/** The run that a saver writes for; without one (conformance tests) every write is asked and acknowledged. */
export interface SaverRun {
  readonly run_id: string;
  readonly attempt: number;
  readonly thread_id: string;
  readonly durability: 'sync' | 'async' | 'exit';
  /** Whether its thread has a checkpoint at all: without one, the first question needs no answer from the engine. */
  readonly has_checkpoint: boolean;
  /** Kept in the metadata of each checkpoint that the run writes. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Ids of messages that the thread had before the run: what a node returns again is not an answer. */
export type OnLoaded = (channel_values: Readonly<Record<string, unknown>>) => void;

interface SaverUse {
  readonly run?: SaverRun;
  readonly onLoaded?: OnLoaded | undefined;
}

type Versions = Readonly<Record<string, number | string>>;
type PendingWrites = readonly (readonly [string, unknown])[];
interface ListOptions {
  readonly limit?: number;
  readonly before?: RunnableConfig;
  readonly filter?: Record<string, unknown> | null;
}

/**
 * A checkpointer over the engine, as a subclass of the user's own `BaseCheckpointSaver`: their copy serialises, the
 * engine stores the bytes in the stock layout.
 */
export function createSaver(module: CheckpointModule, peer: HostPeer, use: SaverUse = {}): EngineSaver {
  const Saver = classes.get(module) ?? saverClass(module);
  classes.set(module, Saver);
  return new Saver(peer, use);
}

/** A class for each copy, made once: what is compiled for one run serves all. */
const classes = new WeakMap<CheckpointModule, ReturnType<typeof saverClass>>();

/** The part of a saver that the host itself uses. */
export interface EngineSaver {
  getTuple(config: RunnableConfig): Promise<SavedTuple | undefined>;
  getDeltaChannelHistory(options: DeltaOptions): Promise<DeltaHistories>;
}

// oxlint-disable-next-line max-lines-per-function -- the function is the class: its base is the user's own
function saverClass({
  BaseCheckpointSaver,
  WRITES_IDX_MAP = {},
  TASKS = '__pregel_tasks',
  maxChannelVersion,
  emptyCheckpoint,
}: CheckpointModule) {
  const format: CheckpointFormat = { v: emptyCheckpoint().v, TASKS, maxChannelVersion };
  return class EngineSaver extends BaseCheckpointSaver {
    readonly #peer: HostPeer;
    readonly #run: SaverRun | undefined;
    readonly #onLoaded: OnLoaded | undefined;
    readonly #serde: Serde;
    #wrote = false;

    constructor(peer: HostPeer, { run, onLoaded }: SaverUse) {
      super();
      this.#serde = messageSerde(this.serde);
      this.#peer = peer;
      this.#run = run;
      this.#onLoaded = onLoaded;
    }

    /**
     * Values are stored by channel and version. The fraction tells the branches of a thread apart, which count from the
     * same checkpoint on.
     */
    override getNextVersion(current: unknown): number {
      return (
        super.getNextVersion(typeof current === 'number' ? Math.floor(current) : current) + Math.random()
      );
    }

    async getTuple(config: RunnableConfig): Promise<SavedTuple | undefined> {
      if (this.#isEmpty(config)) return undefined;
      if (config.configurable?.['thread_id'] === undefined) return undefined;
      const { thread_id, checkpoint_ns, checkpoint_id } = keyOf(config);
      const { result, blobs } = await this.#peer.ask('checkpoint.get', {
        thread_id,
        checkpoint_ns,
        ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      });
      await turnOfFew();
      if (result === null) return undefined;
      const is_newest = checkpoint_id === undefined;
      const tuple = await load(this.#serde, result, { blobs, is_newest, ...format });
      this.#onLoaded?.(tuple.checkpoint.channel_values);
      return tuple;
    }

    /** In one question, where LangGraph's own way asks for each ancestor by itself. */
    async getDeltaChannelHistory({ config, channels }: DeltaOptions): Promise<DeltaHistories> {
      if (this.#isEmpty(config)) return noDeltas(channels);
      const { thread_id, checkpoint_ns, checkpoint_id } = keyOf(config);
      const { result, blobs } = await this.#peer.ask('checkpoint.deltas', {
        thread_id,
        checkpoint_ns,
        ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
        channels,
      });
      await turnOfFew();
      const histories = await loadDeltas(this.#serde, result.channels, blobs);
      this.#onLoaded?.(valuesIn(histories));
      return histories;
    }

    async *list(config: RunnableConfig, options: ListOptions = {}): AsyncGenerator<SavedTuple> {
      if (config.configurable?.['checkpoint_id'] !== undefined) {
        const named = await this.getTuple(config);
        if (named !== undefined) yield named;
        return;
      }
      // In pages: the engine cuts the list where it takes more than a frame may hold.
      let { before } = options;
      let left = Math.trunc(options.limit ?? Infinity);
      while (left > 0) {
        const page = { ...options, ...(before ? { before } : {}), limit: left };
        const { result, blobs } = await this.#peer.ask('checkpoint.list', listParams(config, page));
        for (const tuple of result.tuples) {
          const is_newest = before === undefined && tuple === result.tuples[0];
          yield load(this.#serde, tuple, { blobs, is_newest, ...format });
        }
        if (result.more !== true) return;
        left -= result.tuples.length;
        before = { configurable: { checkpoint_id: result.tuples.at(-1)?.checkpoint_id } };
      }
    }

    async put(
      config: RunnableConfig,
      checkpoint: Checkpoint,
      metadata: unknown,
      versions: Versions,
    ): Promise<RunnableConfig> {
      const { thread_id, checkpoint_ns, checkpoint_id } = keyOf(config);
      const { channel_values, ...rest } = checkpoint;
      const { channels, blobs } = await dumpChannels(this.#serde, channel_values, versions);
      const put = {
        thread_id,
        checkpoint_ns,
        checkpoint_id: checkpoint.id,
        parent_checkpoint_id: checkpoint_id ?? null,
        checkpoint: rest,
        metadata: await plain(this.#serde, { ...this.#run?.metadata, ...(metadata as object) }),
        channels,
      };
      const params = { ...put, ...this.#ref() };
      if (this.#isAcknowledged()) await this.#peer.ask('checkpoint.put', params, blobs);
      else this.#peer.tell('checkpoint.put', params, blobs);
      return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
    }

    // oxlint-disable-next-line roadstead/two-positional -- as LangGraph calls it
    async putWrites(
      config: RunnableConfig,
      pending: PendingWrites,
      task_id: string,
      task_path?: string,
    ): Promise<void> {
      const { thread_id, checkpoint_ns, checkpoint_id } = keyOf(config);
      if (checkpoint_id === undefined) throw new Error('Writes need `configurable.checkpoint_id`.');
      const { writes, blobs } = await dumpWrites(this.#serde, pending, WRITES_IDX_MAP);
      const of = { thread_id, checkpoint_ns, checkpoint_id, task_id, ...(task_path ? { task_path } : {}) };
      const params = { ...of, writes, ...this.#ref() };
      if (this.#isAcknowledged()) await this.#peer.ask('checkpoint.put_writes', params, blobs);
      else this.#peer.tell('checkpoint.put_writes', params, blobs);
    }

    async deleteThread(thread_id: string): Promise<void> {
      await this.#peer.ask('checkpoint.delete_thread', { thread_id, ...this.#ref() });
    }

    /** Whether the thread is that of the run, and nothing was ever written to it. */
    #isEmpty({ configurable }: RunnableConfig): boolean {
      if (this.#run === undefined || this.#run.has_checkpoint || this.#wrote) return false;
      return configurable?.['thread_id'] === this.#run.thread_id;
    }

    /** Whether a write is asked. Others are told in order, and `done` is committed with or after them. */
    #isAcknowledged(): boolean {
      this.#wrote = true;
      return this.#run === undefined || this.#run.durability === 'sync';
    }

    #ref(): { run_id: string; attempt: number } | Record<string, never> {
      return this.#run === undefined ? {} : { run_id: this.#run.run_id, attempt: this.#run.attempt };
    }
  };
}

async function dumpChannels(serde: Serde, values: Readonly<Record<string, unknown>>, versions: Versions) {
  const dumped = await Promise.all(
    Object.entries(versions).map(async ([channel, version]) => {
      const [type, bytes] =
        channel in values ? await serde.dumpsTyped(values[channel]) : (['empty', new Uint8Array()] as const);
      return { channel, version: String(version), type, bytes };
    }),
  );
  return {
    channels: dumped.map(({ bytes: _bytes, ...one }, blob): CheckpointPut['channels'][number] => ({
      ...one,
      blob,
    })),
    blobs: dumped.map((one) => one.bytes),
  };
}

async function dumpWrites(serde: Serde, pending: PendingWrites, special: Readonly<Record<string, number>>) {
  const dumped = await Promise.all(
    pending.map(async ([channel, value]) => ({ channel, typed: await serde.dumpsTyped(value) })),
  );
  const writes = dumped.map(({ channel, typed: [type] }, at): CheckpointWrites['writes'][number] => ({
    channel,
    type,
    idx: Object.hasOwn(special, channel) ? (special[channel] ?? at) : at,
    blob: at,
  }));
  return { writes, blobs: dumped.map((one) => one.typed[1]) };
}

function listParams(
  { configurable = {} }: RunnableConfig,
  { before, limit, filter }: ListOptions & { readonly limit: number },
): HostCalls['checkpoint.list']['params'] {
  const { thread_id, checkpoint_ns } = configurable;
  const before_id = before?.configurable?.['checkpoint_id'];
  return {
    ...(typeof thread_id === 'string' ? { thread_id } : {}),
    ...(typeof checkpoint_ns === 'string' ? { checkpoint_ns } : {}),
    ...(typeof before_id === 'string' ? { before: before_id } : {}),
    ...(Number.isFinite(limit) ? { limit } : {}),
    ...(filter ? { filter } : {}),
  };
}

function keyOf(config: RunnableConfig): {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string | undefined;
} {
  const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
  if (typeof thread_id !== 'string') throw new Error('A checkpointer needs `configurable.thread_id`.');
  return {
    thread_id,
    checkpoint_ns: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
    checkpoint_id: typeof checkpoint_id === 'string' ? checkpoint_id : undefined,
  };
}

/** Since this version of the checkpoint pending sends are the value of a channel; before it they stand beside the channels. */
const SENDS_IN_A_CHANNEL = 4;

/** A checkpoint as the user's copy of LangGraph expects it. */
interface CheckpointFormat extends Pick<Required<CheckpointModule>, 'TASKS' | 'maxChannelVersion'> {
  readonly v: number;
}

interface LoadOptions extends CheckpointFormat {
  readonly blobs: readonly Uint8Array[];
  /** Whether nothing of its namespace can have come after it. */
  readonly is_newest: boolean;
}

async function load(
  serde: Serde,
  tuple: CheckpointTuple,
  { blobs, is_newest, ...format }: LoadOptions,
): Promise<SavedTuple> {
  const stored = tuple.checkpoint as Checkpoint;
  checkLanguage(stored);
  const value = ({ type, blob }: { type: string; blob: number }) =>
    serde.loadsTyped(type, blobs[blob] ?? new Uint8Array());
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = tuple;
  const channel_values = Object.fromEntries(
    await Promise.all(tuple.channels.map(async (one) => [one.channel, await value(one)] as const)),
  );
  const channel_versions = stored.channel_versions ?? {};
  const pending_sends = await Promise.all(tuple.pending_sends.map(value));
  const has_channel = format.v >= SENDS_IN_A_CHANNEL;
  if (pending_sends.length > 0 && has_channel) {
    channel_values[format.TASKS] = pending_sends;
    const versions = Object.values(channel_versions);
    channel_versions[format.TASKS] = versions.length > 0 ? format.maxChannelVersion(...versions) : 1;
  }
  return {
    config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
    checkpoint: {
      ...stored,
      channel_versions,
      channel_values,
      ...(has_channel ? {} : { pending_sends }),
    },
    metadata: tuple.metadata,
    parentConfig:
      parent_checkpoint_id === null
        ? undefined
        : { configurable: { thread_id, checkpoint_ns, checkpoint_id: parent_checkpoint_id } },
    pendingWrites: withoutAnswered(
      await Promise.all(
        tuple.writes.map(async (one) => [one.task_id, one.channel, await value(one)] as const),
      ),
      { is_newest },
    ),
  };
}

/** Metadata as JSON; the user's serde knows what isn't. */
async function plain(serde: Serde, metadata: unknown): Promise<unknown> {
  if (isPlain(metadata)) return metadata;
  const [, bytes] = await serde.dumpsTyped(metadata);
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}
