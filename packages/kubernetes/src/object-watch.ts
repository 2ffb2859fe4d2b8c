import type { IncomingMessage } from 'node:http';
import { pause, Problem } from '@roadstead/kit';
import { z } from 'zod';
import { valuesOf } from './api-connection.ts';
import type { ListOptions, ObjectList } from './object-list.ts';
import { isRefusal } from './refusal.ts';
import type { KubernetesObject, StoredObject } from './resources.ts';

interface WatchTimes {
  /** Seconds after which the API server is asked to end a watch, which then begins again. */
  readonly server_s: number;
  /** A watch that says nothing for this long is given up: bookmarks come about once a minute. */
  readonly silent_ms: number;
  /** The longest of the first pauses after a failure, and of all: each is chosen at random below a limit that doubles. */
  readonly first_pause_ms: number;
  readonly longest_pause_ms: number;
}

const TIMES: WatchTimes = {
  server_s: 290,
  silent_ms: 150_000,
  first_pause_ms: 800,
  longest_pause_ms: 30_000,
};

/** What became of an object since it was last told. `before` is as it was last seen. */
export type ObjectChange<T extends KubernetesObject> =
  | { readonly type: 'added'; readonly object: StoredObject<T> }
  | { readonly type: 'changed'; readonly object: StoredObject<T>; readonly before: StoredObject<T> }
  | { readonly type: 'removed'; readonly object: StoredObject<T> };

export interface WatchOptions<T extends KubernetesObject> extends Omit<ListOptions, 'signal'> {
  /** Told each change in order, after `objects` has it; not to throw. Of changes during an absence, only what came of them. */
  readonly onChange?: (change: ObjectChange<T>) => void;
  /** Told what keeps it from following, each time it fails, and undefined once it follows again. */
  readonly onAway?: (error: Error | undefined) => void;
  readonly times?: Partial<WatchTimes>;
}

/** The objects that are followed. */
export interface ObjectMap<T extends KubernetesObject> extends AsyncDisposable {
  /** As they were at one moment, by `keyOf`. */
  readonly objects: ReadonlyMap<string, StoredObject<T>>;
  /** Resolves once all are known for the first time; rejects where it is disposed of before. */
  readonly ready: Promise<void>;
}

/** What a watch asks of the cluster. */
interface WatchSource<T extends KubernetesObject> {
  readonly list: (signal: AbortSignal) => Promise<ObjectList<T>>;
  readonly open: (
    query: Readonly<Record<string, string | number | boolean>>,
    signal: AbortSignal,
  ) => Promise<IncomingMessage>;
  readonly failureFor: (status: number, said: unknown) => Error;
  readonly awayFor: (error: unknown) => Error;
}

const WatchEvent = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({ code: z.number().optional(), metadata: z.looseObject({}).optional() }),
});

/** Names an object among all of its resource: `namespace/name`, or the name alone where it stands in no namespace. */
export const keyOf = ({ metadata: { namespace, name = '' } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/**
 * Follows objects: lists them, and watches from that moment on. A watch that ends goes on where it was; where the API server has
 * forgotten that moment (410), all are listed again and compared. It never gives up: it tries again after pauses at random, so
 * that the many who follow a server that comes back do not come at once.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class ObjectWatch<T extends KubernetesObject> implements ObjectMap<T> {
  readonly objects = new Map<string, StoredObject<T>>();
  readonly ready: Promise<void>;
  readonly #options: WatchOptions<T>;
  readonly #source: WatchSource<T>;
  readonly #times: WatchTimes;
  readonly #stop = new AbortController();
  readonly #followed: Promise<void>;
  readonly #first = Promise.withResolvers<void>();
  /** The moment up to which `objects` has everything; undefined where all must be listed. */
  #version: string | undefined;
  #failures = 0;
  #is_away = false;

  constructor(options: WatchOptions<T>, source: WatchSource<T>) {
    this.#options = options;
    this.#source = source;
    this.#times = { ...TIMES, ...options.times };
    this.ready = this.#first.promise;
    // Nobody has to wait for it.
    this.ready.catch(() => undefined);
    this.#followed = this.#follow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#followed;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let asked_ms = 0;
      try {
        if (this.#version === undefined) await this.#listAll();
        const has_lasted = await this.#watchOnce();
        this.#failures = has_lasted ? 0 : this.#failures + 1;
      } catch (error) {
        if (signal.aborted) break;
        this.#failures += 1;
        const failure = this.#source.awayFor(error);
        if (isRefusal(failure, 410)) this.#version = undefined;
        else this.#tell(failure);
        if (failure instanceof Problem) asked_ms = (failure.retry_after_s ?? 0) * 1000;
      }
      await pause(this.#pauseBefore(asked_ms), signal);
    }
    this.#first.reject(new Problem('unavailable', 'What follows the cluster was closed.'));
  }

  /** @param asked_ms the shortest that the server asks for */
  #pauseBefore(asked_ms: number): number {
    const { first_pause_ms, longest_pause_ms } = this.#times;
    if (this.#failures === 0) return 0;
    const longest_ms = Math.min(longest_pause_ms, first_pause_ms * 2 ** (this.#failures - 1));
    return Math.min(longest_pause_ms, asked_ms) + Math.random() * longest_ms;
  }

  async #listAll(): Promise<void> {
    const { items, resource_version } = await this.#source.list(this.#stop.signal);
    const found = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, known] of this.objects)
      if (found.get(key)?.metadata.uid !== known.metadata.uid) this.#remove(key, known);
    for (const item of found.values()) this.#put(item);
    this.#version = resource_version;
    this.#first.resolve();
  }

  /** Answers whether it brought something, or was quiet for long: one that ends at once, again and again, is a failure. */
  async #watchOnce(): Promise<boolean> {
    const silence = new AbortController();
    const { server_s, silent_ms, longest_pause_ms } = this.#times;
    const timer = setTimeout(() => silence.abort(new DOMException('silent', 'TimeoutError')), silent_ms);
    const query = {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: this.#version ?? '',
      timeoutSeconds: server_s,
    };
    const began = performance.now();
    let has_said = false;
    try {
      const answer = await this.#source.open(query, AbortSignal.any([this.#stop.signal, silence.signal]));
      if (this.#is_away) this.#tell(undefined);
      for await (const value of valuesOf(answer)) {
        timer.refresh();
        this.#take(value);
        this.#failures = 0;
        has_said = true;
      }
      return has_said || performance.now() - began > longest_pause_ms;
    } finally {
      clearTimeout(timer);
    }
  }

  #take(value: unknown): void {
    const { type, object } = WatchEvent.parse(value);
    if (type === 'ERROR') throw this.#source.failureFor(object.code ?? 500, object);
    const seen = object as unknown as StoredObject<T>;
    if (type === 'DELETED') this.#remove(keyOf(seen), seen);
    else if (type !== 'BOOKMARK') {
      delete object.metadata?.['managedFields'];
      this.#put(seen);
    }
    this.#version = seen.metadata.resourceVersion;
  }

  #put(object: StoredObject<T>): void {
    const key = keyOf(object);
    const before = this.objects.get(key);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.objects.set(key, object);
    this.#options.onChange?.(
      before === undefined ? { type: 'added', object } : { type: 'changed', object, before },
    );
  }

  #remove(key: string, object: StoredObject<T>): void {
    if (this.objects.delete(key)) this.#options.onChange?.({ type: 'removed', object });
  }

  #tell(failure: Error | undefined): void {
    this.#is_away = failure !== undefined;
    this.#options.onAway?.(failure);
  }
}
