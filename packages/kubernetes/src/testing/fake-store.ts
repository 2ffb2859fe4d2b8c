import { randomUUID } from 'node:crypto';
import type { ResourceName } from '../resources.ts';

/** An object as it is stored: any resource. */
export interface FakeObject {
  readonly metadata: FakeMeta;
  readonly [field: string]: unknown;
}

interface FakeMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string }[];
  readonly [field: string]: unknown;
}

export interface FakeChange {
  readonly version: number;
  readonly resource: ResourceName;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakeObject;
  readonly before: FakeObject | undefined;
}

/** Objects in memory, with one version for all of them that grows with each change, and a history that can be forgotten. */
export class FakeStore {
  /** Told each change once it is stored. */
  readonly followers = new Set<(change: FakeChange) => void>();
  readonly #objects = new Map<string, FakeObject>();
  #history: FakeChange[] = [];
  #version = 1000;
  #forgotten = 0;

  get version(): number {
    return this.#version;
  }

  find(resource: ResourceName, key: string): FakeObject | undefined {
    return this.#objects.get(`${resource} ${key}`);
  }

  /** All of a resource, by their keys. */
  list(resource: ResourceName): FakeObject[] {
    return [...this.#objects]
      .filter(([key]) => key.startsWith(`${resource} `))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => object);
  }

  /** All that one object owns, of any resource. */
  owned(uid: string): (readonly [ResourceName, FakeObject])[] {
    return this.#all().filter(([, { metadata }]) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid),
    );
  }

  within(namespace: string): (readonly [ResourceName, FakeObject])[] {
    return this.#all().filter(([, { metadata }]) => metadata.namespace === namespace);
  }

  /** Stores an object in a new version, unless nothing of it changes. */
  put(resource: ResourceName, object: FakeObject): FakeObject {
    const key = keyOfFake(object);
    const before = this.find(resource, key);
    if (before !== undefined && same(before, object)) return before;
    const version = (this.#version += 1);
    const { generation: last = 0 } = before?.metadata ?? {};
    const generation = before !== undefined && same(before['spec'], object['spec']) ? last : last + 1;
    // What is new has neither yet.
    const given: Partial<FakeMeta> = object.metadata;
    const stored: FakeObject = {
      ...object,
      metadata: {
        uid: randomUUID(),
        creationTimestamp: now(),
        ...given,
        name: object.metadata.name,
        resourceVersion: String(version),
        ...(object['spec'] === undefined ? {} : { generation }),
      },
    };
    this.#objects.set(`${resource} ${key}`, stored);
    this.#tell({
      version,
      resource,
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      object: stored,
      before,
    });
    return stored;
  }

  remove(resource: ResourceName, key: string): void {
    const before = this.find(resource, key);
    if (before === undefined) return;
    this.#objects.delete(`${resource} ${key}`);
    const version = (this.#version += 1);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.#tell({ version, resource, type: 'DELETED', object, before });
  }

  /** Forgets all changes until now, as etcd does every five minutes. */
  forget(): void {
    this.#history = [];
    this.#forgotten = this.#version;
  }

  /** The changes after a version; undefined where these are forgotten. */
  since(version: number): readonly FakeChange[] | undefined {
    if (version < this.#forgotten) return undefined;
    return this.#history.filter((change) => change.version > version);
  }

  #all(): (readonly [ResourceName, FakeObject])[] {
    return [...this.#objects].map(([key, object]) => [key.split(' ')[0] as ResourceName, object]);
  }

  #tell(change: FakeChange): void {
    this.#history.push(change);
    for (const follow of this.followers) follow(change);
  }
}

export const keyOfFake = ({ metadata: { name, namespace } }: FakeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

export const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

/** Whether two values are the same but for the version and the owners of fields. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name]) => name !== 'resourceVersion' && name !== 'managedFields',
  );
  return Object.fromEntries(
    entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
