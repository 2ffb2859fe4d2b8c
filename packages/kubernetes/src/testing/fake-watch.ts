import type { ServerResponse } from 'node:http';
import type { ResourceName } from '../resources.ts';
import { FakeRefusal } from './fake-refusal.ts';
import type { FakeChange, FakeObject, FakeStore } from './fake-store.ts';

interface FakeWatchOptions {
  readonly resource: ResourceName;
  readonly judge: (object: FakeObject) => boolean;
  readonly version: string;
  readonly bookmarks: boolean;
  readonly timeout_s: number;
  readonly apiVersion: string;
  readonly kind: string;
}

/** A watch that somebody keeps open. */
export class FakeWatch {
  readonly #store: FakeStore;
  readonly #response: ServerResponse;
  readonly #options: FakeWatchOptions;
  readonly #follow = (change: FakeChange) => this.#tell(change);
  readonly #timer: NodeJS.Timeout;

  constructor(store: FakeStore, response: ServerResponse, options: FakeWatchOptions) {
    this.#store = store;
    this.#response = response;
    this.#options = options;
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.#timer = setTimeout(() => this.end(), options.timeout_s * 1000).unref();
    this.#begin();
    store.followers.add(this.#follow);
    response.once('close', () => {
      clearTimeout(this.#timer);
      store.followers.delete(this.#follow);
    });
  }

  /** Says up to when everything was told. */
  bookmark(): void {
    const { bookmarks, apiVersion, kind } = this.#options;
    if (!bookmarks) return;
    const metadata = { resourceVersion: String(this.#store.version), creationTimestamp: null };
    this.#say('BOOKMARK', { apiVersion, kind, metadata });
  }

  end(): void {
    this.bookmark();
    this.#response.end();
  }

  /** Breaks the connection off. */
  cut(): void {
    this.#response.destroy();
  }

  #begin(): void {
    const { resource, judge, version } = this.#options;
    if (version === '' || version === '0') {
      for (const object of this.#store.list(resource).filter(judge)) this.#say('ADDED', object);
      return;
    }
    const missed = this.#store.since(Number(version));
    if (missed !== undefined) return missed.forEach(this.#follow);
    this.#say('ERROR', goneFor(version, this.#store.version).body);
    this.#response.end();
  }

  /** Who selects is told of what comes to fit, or ceases to, as of what is made or removed. */
  #tell({ resource, type, object, before }: FakeChange): void {
    const { judge } = this.#options;
    if (resource !== this.#options.resource) return;
    const did = before !== undefined && judge(before);
    const does = type !== 'DELETED' && judge(object);
    if (does) this.#say(did ? 'MODIFIED' : 'ADDED', object);
    else if (did) this.#say('DELETED', object);
  }

  #say(type: string, object: object): void {
    this.#response.write(`${JSON.stringify({ type, object })}\n`);
  }
}

export const goneFor = (version: string, oldest: number): FakeRefusal =>
  new FakeRefusal(410, 'Expired', { message: `too old resource version: ${version} (${oldest})` });
