import type {
  CheckpointPut,
  CheckpointTuple,
  CheckpointWrites,
  HostCalls,
  HostMessage,
  HostQuestion,
  StoreOperation,
} from '@roadstead/contracts/host';

/** The engine's side of checkpoints and store, in memory: what a host asks and tells is answered as Postgres would. */

type Fields = Readonly<Record<string, unknown>>;
type Blobs = readonly Uint8Array[];
interface Bytes {
  readonly type: string;
  readonly bytes: Uint8Array;
}
type StoredCheckpoint = Omit<CheckpointPut, 'channels'>;
interface StoredWrite extends Bytes {
  readonly task_id: string;
  readonly task_path: string;
  readonly channel: string;
  readonly idx: number;
}

/** Fewer checkpoints than any history of a test has: a host is to ask for the rest. */
const PAGE = 2;
const TASKS = '__pregel_tasks';
const placeOf = (...parts: readonly string[]) => JSON.stringify(parts);
const bytesOf = (one: { type: string; blob: number }, blobs: Blobs): Bytes => ({
  type: one.type,
  bytes: Uint8Array.from(blobs[one.blob] ?? []),
});
const newestFirst = (one: StoredCheckpoint, other: StoredCheckpoint) =>
  one.checkpoint_id < other.checkpoint_id ? 1 : -1;

export class EngineDouble {
  readonly #checkpoints = new Map<string, StoredCheckpoint>();
  readonly #channels = new Map<string, Bytes>();
  readonly #writes = new Map<string, Map<string, StoredWrite>>();
  readonly #items = new Map<string, { namespace: readonly string[]; key: string; value: unknown }>();
  /** Every method that was asked (`ask …`) or told (`tell …`), in order. */
  readonly heard: string[] = [];

  async ask(question: HostQuestion, blobs: Blobs): Promise<{ result: unknown; blobs?: Blobs }> {
    this.heard.push(`ask ${question.method}`);
    switch (question.method) {
      case 'checkpoint.get':
        return this.#get(question.params);
      case 'checkpoint.list':
        return this.#list(question.params);
      case 'checkpoint.deltas':
        return this.#deltas(question.params);
      case 'store.batch':
        return { result: { results: this.#batch(question.params.operations) } };
      case 'checkpoint.put':
        this.#put(question.params, blobs);
        return { result: {} };
      case 'checkpoint.put_writes':
        this.#putWrites(question.params, blobs);
        return { result: {} };
      case 'checkpoint.delete_thread':
      case 'emit':
        throw new Error(`The double knows no ${question.method}`);
    }
  }

  tell(message: HostMessage, blobs: Blobs): void {
    this.heard.push(`tell ${message.method}`);
    if (message.method === 'checkpoint.put') this.#put(message.params, blobs);
    if (message.method === 'checkpoint.put_writes') this.#putWrites(message.params, blobs);
  }

  /** What a thread has, newest first. */
  checkpoints(thread_id: string): StoredCheckpoint[] {
    return [...this.#checkpoints.values()].filter((one) => one.thread_id === thread_id).toSorted(newestFirst);
  }

  /** Forgets all but the oldest checkpoints of a thread, as if the process had died right after them. */
  rewind(thread_id: string, keep: number): void {
    for (const one of this.checkpoints(thread_id).slice(0, -keep))
      this.#checkpoints.delete(placeOf(thread_id, one.checkpoint_ns, one.checkpoint_id));
    this.#writes.clear();
  }

  #put({ channels, ...put }: CheckpointPut, blobs: Blobs): void {
    const { thread_id, checkpoint_ns } = put;
    this.#checkpoints.set(placeOf(thread_id, checkpoint_ns, put.checkpoint_id), put);
    for (const one of channels)
      this.#channels.set(placeOf(thread_id, checkpoint_ns, one.channel, one.version), bytesOf(one, blobs));
  }

  #putWrites(
    { thread_id, checkpoint_ns, checkpoint_id, task_id, task_path = '', writes }: CheckpointWrites,
    blobs: Blobs,
  ) {
    const key = placeOf(thread_id, checkpoint_ns, checkpoint_id);
    const stored = this.#writes.get(key) ?? new Map<string, StoredWrite>();
    this.#writes.set(key, stored);
    for (const one of writes) {
      const { channel, idx } = one;
      const place = placeOf(task_id, String(idx));
      if (idx >= 0 && stored.has(place)) continue;
      stored.set(place, { task_id, task_path, channel, idx, ...bytesOf(one, blobs) });
    }
  }

  #get(key: HostCalls['checkpoint.get']['params']) {
    const found = this.checkpoints(key.thread_id).find(
      (one) =>
        one.checkpoint_ns === key.checkpoint_ns &&
        (key.checkpoint_id === undefined || one.checkpoint_id === key.checkpoint_id),
    );
    const blobs: Uint8Array[] = [];
    return { result: found === undefined ? null : this.#tuple(found, blobs), blobs };
  }

  #deltas({ channels, ...key }: HostCalls['checkpoint.deltas']['params']) {
    const blobs: Uint8Array[] = [];
    const add = ({ type, bytes }: Bytes) => ({ type, blob: blobs.push(bytes) - 1 });
    const all = this.checkpoints(key.thread_id).filter((one) => one.checkpoint_ns === key.checkpoint_ns);
    const byId = new Map(all.map((one) => [one.checkpoint_id, one]));
    const from = key.checkpoint_id === undefined ? all[0] : byId.get(key.checkpoint_id);
    const histories = channels.map((channel) => {
      const steps: StoredWrite[][] = [];
      let seed: Bytes | undefined;
      let at = byId.get(from?.parent_checkpoint_id ?? '');
      while (at !== undefined && seed === undefined) {
        const written = this.#writesOf(key.thread_id, key.checkpoint_ns, at.checkpoint_id);
        steps.unshift(written.filter((one) => one.channel === channel));
        const { channel_versions } = at.checkpoint as { channel_versions: Record<string, unknown> };
        const version = String(channel_versions[channel]);
        const stored = this.#channels.get(placeOf(key.thread_id, key.checkpoint_ns, channel, version));
        if (stored !== undefined && stored.type !== 'empty') seed = stored;
        at = byId.get(at.parent_checkpoint_id ?? '');
      }
      const writes = steps.flat().map((one) => ({ task_id: one.task_id, ...add(one) }));
      return { channel, writes, ...(seed === undefined ? {} : { seed: add(seed) }) };
    });
    return { result: { channels: histories }, blobs };
  }

  #list({
    thread_id = '',
    checkpoint_ns,
    before,
    limit,
    filter = {},
  }: HostCalls['checkpoint.list']['params']) {
    const found = this.checkpoints(thread_id).filter(
      (one) =>
        (checkpoint_ns === undefined || one.checkpoint_ns === checkpoint_ns) &&
        (before === undefined || one.checkpoint_id < before) &&
        Object.entries(filter).every(([name, value]) => (one.metadata as Fields)[name] === value),
    );
    const blobs: Uint8Array[] = [];
    const wanted = found.slice(0, limit);
    const tuples = wanted.slice(0, PAGE).map((one) => this.#tuple(one, blobs));
    return { result: { tuples, ...(wanted.length > PAGE ? { more: true } : {}) }, blobs };
  }

  #tuple(found: StoredCheckpoint, blobs: Uint8Array[]): CheckpointTuple {
    const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata } = found;
    const add = ({ type, bytes }: Bytes) => ({ type, blob: blobs.push(bytes) - 1 });
    const { v, channel_versions } = checkpoint as { v: number; channel_versions: Record<string, unknown> };
    const channels = Object.entries(channel_versions).flatMap(([channel, version]) => {
      const stored = this.#channels.get(placeOf(thread_id, checkpoint_ns, channel, String(version)));
      return stored === undefined || stored.type === 'empty' ? [] : [{ channel, ...add(stored) }];
    });
    const parents =
      v < 4 && parent_checkpoint_id !== null
        ? this.#writesOf(thread_id, checkpoint_ns, parent_checkpoint_id)
        : [];
    const writes = this.#writesOf(thread_id, checkpoint_ns, checkpoint_id);
    return {
      thread_id,
      checkpoint_ns,
      checkpoint_id,
      parent_checkpoint_id,
      checkpoint,
      metadata,
      channels,
      writes: writes.map(({ task_id, channel, idx, task_path: _path, ...typed }) => ({
        task_id,
        channel,
        idx,
        ...add(typed),
      })),
      pending_sends: parents.filter((one) => one.channel === TASKS).map(add),
    };
  }

  #writesOf(thread_id: string, checkpoint_ns: string, checkpoint_id: string): StoredWrite[] {
    const stored =
      this.#writes.get(placeOf(thread_id, checkpoint_ns, checkpoint_id)) ?? new Map<string, never>();
    return [...stored.values()].toSorted(
      (one, other) =>
        Buffer.compare(Buffer.from(one.task_path), Buffer.from(other.task_path)) ||
        Buffer.compare(Buffer.from(one.task_id), Buffer.from(other.task_id)) ||
        one.idx - other.idx,
    );
  }

  #batch(operations: readonly StoreOperation[]): unknown[] {
    return operations.map((one) => {
      const items = [...this.#items.values()];
      switch (one.op) {
        case 'put':
          if (one.value === null) this.#items.delete(placeOf(...one.namespace, one.key));
          else this.#items.set(placeOf(...one.namespace, one.key), one);
          return null;
        case 'get':
          return stamped(this.#items.get(placeOf(...one.namespace, one.key)));
        case 'list_namespaces':
          return items.map((item) => item.namespace);
        case 'search':
          return items
            .filter((item) => one.namespace_prefix.every((label, index) => item.namespace[index] === label))
            .slice(one.offset, one.offset + one.limit)
            .map(stamped);
      }
    });
  }
}

const stamped = (item: object | undefined) =>
  item === undefined
    ? null
    : { ...item, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-02T00:00:00.000Z' };
