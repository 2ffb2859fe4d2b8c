import { randomBytes, randomUUID } from 'node:crypto';
import type { PodStatus, Pod, StoredObject } from '../index.ts';
import { apiResources } from '../resource-paths.ts';
import type { ResourceName } from '../resources.ts';
import { FieldOwners } from './fake-fields.ts';
import { FakeLog, type FakePod } from './fake-pod.ts';
import { FakeRefusal } from './fake-refusal.ts';
import { type FakeObject, FakeStore, keyOfFake, now } from './fake-store.ts';

export interface FakePlace {
  readonly resource: ResourceName;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** What was sent: an object, or a part of one. */
export type ObjectBody = Record<string, unknown>;

interface FakeWriting {
  readonly body: ObjectBody;
  readonly manager: string;
}

interface Deletion {
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
}

interface PlayedPod {
  readonly asked: AbortController;
  readonly stop: AbortController;
  readonly log: FakeLog;
}

/** What the API server does to objects, with what controllers do at once: names, owners, namespaces, pods that end. */
export class FakeObjects implements Disposable {
  readonly store = new FakeStore();
  /** Plays the node of a pod: begins once it is made, and settles once it has ended. Unset, pods stay pending. */
  onPod: ((pod: FakePod) => Promise<void> | void) | undefined;
  readonly #owners = new Map<string, FieldOwners>();
  readonly #pods = new Map<string, PlayedPod>();

  constructor() {
    this.store.put(
      'namespaces',
      whole('namespaces', { metadata: { name: 'default' }, status: { phase: 'Active' } }),
    );
  }

  read(place: FakePlace): FakeObject {
    const { resource, name = '', subresource } = place;
    const found = this.store.find(resource, keyAt(place));
    if (found === undefined)
      throw new FakeRefusal(404, 'NotFound', { message: `${resource} "${name}" not found` });
    return subresource === 'scale' ? scaleOf(found) : found;
  }

  create(place: FakePlace, { body, manager }: FakeWriting): FakeObject {
    const object = this.#checked(place, body);
    const { resource } = place;
    if (this.store.find(resource, keyOfFake(object)) !== undefined)
      throw new FakeRefusal(409, 'AlreadyExists', {
        message: `${resource} "${object.metadata.name}" already exists`,
      });
    return this.#stored(resource, object, (owners) =>
      owners.written(manager, { before: undefined, after: body }),
    );
  }

  apply(
    place: FakePlace,
    { body, manager, force, dry_run }: FakeWriting & { readonly force: boolean; readonly dry_run: boolean },
  ): FakeObject {
    const live = this.store.find(place.resource, keyAt(place));
    const wanted = live === undefined ? this.#checked(place, body) : whole(place.resource, body);
    const known = this.#ownersOf(place.resource, live ?? wanted);
    const owners = dry_run ? known.copy() : known;
    const { metadata = {}, ...fields } = owners.applied(manager, { live, wanted, force });
    const merged = { ...fields, metadata: { ...wanted.metadata, ...(metadata as object) } } as FakeObject;
    const { name, namespace } = live?.metadata ?? wanted.metadata;
    const object = whole(place.resource, {
      ...merged,
      metadata: {
        uid: randomUUID(),
        ...(merged.metadata as object),
        name,
        ...(namespace === undefined ? {} : { namespace }),
      },
    });
    return dry_run ? object : this.#stored(place.resource, object, () => undefined);
  }

  patch(place: FakePlace, { body, manager }: FakeWriting): FakeObject {
    const before = this.read({ ...place, subresource: undefined });
    const { metadata = {} } = body as { metadata?: { resourceVersion?: string } };
    if (
      metadata.resourceVersion !== undefined &&
      metadata.resourceVersion !== before.metadata.resourceVersion
    )
      throw new FakeRefusal(409, 'Conflict', {
        message: `Operation cannot be fulfilled on ${place.resource} "${place.name}": the object has been modified; please apply your changes to the latest version and try again`,
      });
    const { resourceVersion: _version, ...others } = metadata;
    const hands_over = place.subresource === 'scale';
    const after = merge(before, {
      ...body,
      ...('metadata' in body ? { metadata: others } : {}),
    }) as FakeObject;
    const stored = this.#stored(place.resource, after, (owners) =>
      owners.written(manager, { before, after, hands_over }),
    );
    return hands_over ? scaleOf(stored) : stored;
  }

  delete(place: FakePlace, { preconditions, propagationPolicy, gracePeriodSeconds }: Deletion): FakeObject {
    const object = this.read(place);
    const { uid } = preconditions ?? {};
    if (uid !== undefined && uid !== object.metadata.uid)
      throw new FakeRefusal(409, 'Conflict', {
        message: `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
      });
    const pod = this.#pods.get(object.metadata.uid);
    if (pod !== undefined && gracePeriodSeconds !== 0) {
      this.store.put('pods', { ...object, metadata: { ...object.metadata, deletionTimestamp: now() } });
      pod.asked.abort();
      // A second is not waited for: nothing that is played takes it.
      if ((gracePeriodSeconds ?? 0) <= 1) pod.stop.abort();
      else setTimeout(() => pod.stop.abort(), Number(gracePeriodSeconds) * 1000).unref();
    } else this.#remove(place.resource, object, propagationPolicy);
    return object;
  }

  /**
   * Undefined for a pod that no node has taken.
   * @throws FakeRefusal 400 for a container that has not started
   */
  logOf(place: FakePlace): FakeLog | undefined {
    const { metadata, status } = this.read({ ...place, subresource: undefined });
    const { phase = 'Pending', containerStatuses } = (status ?? {}) as PodStatus;
    const pod = this.#pods.get(metadata.uid);
    if (pod !== undefined && phase !== 'Pending') return pod.log;
    if (containerStatuses === undefined) return undefined;
    throw new FakeRefusal(400, 'BadRequest', {
      message: `container in pod "${metadata.name}" is waiting to start: ContainerCreating`,
    });
  }

  /** Writes what a component of the cluster would, such as an event or a status. */
  write(resource: ResourceName, body: ObjectBody): FakeObject {
    return this.store.put(resource, whole(resource, body));
  }

  [Symbol.dispose](): void {
    for (const { asked, stop, log } of this.#pods.values()) {
      asked.abort();
      stop.abort();
      log.close();
    }
  }

  #stored(resource: ResourceName, object: FakeObject, note: (owners: FieldOwners) => void): FakeObject {
    const owners = this.#ownersOf(resource, object);
    note(owners);
    const is_new = this.store.find(resource, keyOfFake(object)) === undefined;
    const stored = this.store.put(resource, {
      ...object,
      metadata: { ...object.metadata, managedFields: owners.managed },
    });
    if (is_new && resource === 'pods') this.#begin(stored);
    return stored;
  }

  #begin(object: FakeObject): void {
    const { onPod } = this;
    if (onPod === undefined) return;
    const [asked, stop] = [new AbortController(), new AbortController()];
    const log = new FakeLog();
    this.#pods.set(object.metadata.uid, { asked, stop, log });
    const pod: FakePod = {
      pod: object as unknown as StoredObject<Pod>,
      asked: asked.signal,
      stop: stop.signal,
      report: (status: PodStatus) => {
        const live = this.store.find('pods', keyOfFake(object));
        if (live?.metadata.uid === object.metadata.uid)
          this.store.put('pods', {
            ...live,
            status: { ...(live['status'] as object | undefined), ...status },
          });
        const hasEnded = status.containerStatuses?.every(({ state }) => state?.terminated !== undefined);
        if (asked.signal.aborted && hasEnded === true) stop.abort();
      },
      print: (line) => log.print(line),
    };
    const play = async () => {
      await onPod(pod);
      log.close();
      const end = () => {
        const left = this.store.find('pods', keyOfFake(object));
        if (left?.metadata.uid === object.metadata.uid) this.#remove('pods', left);
      };
      if (stop.signal.aborted) end();
      else stop.signal.addEventListener('abort', end);
    };
    void play();
  }

  #remove(resource: ResourceName, object: FakeObject, propagation = 'Background'): void {
    this.store.remove(resource, keyOfFake(object));
    this.#owners.delete(`${resource} ${keyOfFake(object)}`);
    this.#pods.get(object.metadata.uid)?.stop.abort();
    this.#pods.delete(object.metadata.uid);
    const owned = propagation === 'Orphan' ? [] : this.store.owned(object.metadata.uid);
    const within = resource === 'namespaces' ? this.store.within(object.metadata.name) : [];
    for (const [other, one] of [...owned, ...within]) this.#remove(other, one);
  }

  #ownersOf(resource: ResourceName, object: FakeObject): FieldOwners {
    const key = `${resource} ${keyOfFake(object)}`;
    const owners = this.#owners.get(key) ?? new FieldOwners();
    this.#owners.set(key, owners);
    return owners;
  }

  /** What is to be made, as far as the API server looks at it here: its name and its namespace. */
  #checked({ resource, namespace, name }: FakePlace, body: ObjectBody): FakeObject {
    const { generateName = '', ...metadata } = body['metadata'] as { generateName?: string; name?: string };
    const chosen = metadata.name ?? name ?? `${generateName}${randomBytes(3).toString('hex').slice(0, 5)}`;
    if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(chosen)) throw unfitName(resource, chosen);
    if (namespace !== undefined) this.#checkNamespace(namespace);
    return whole(resource, {
      ...body,
      metadata: { ...metadata, name: chosen, ...(namespace === undefined ? {} : { namespace }) },
      ...(resource === 'namespaces' ? { status: { phase: 'Active' } } : {}),
    });
  }

  #checkNamespace(namespace: string): void {
    const found = this.store.find('namespaces', namespace);
    if (found === undefined)
      throw new FakeRefusal(404, 'NotFound', { message: `namespaces "${namespace}" not found` });
    if (found.metadata.deletionTimestamp !== undefined)
      throw new FakeRefusal(403, 'Forbidden', {
        message: `unable to create new content in namespace ${namespace} because it is being terminated`,
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      });
  }
}

const keyAt = ({ resource, namespace, name = '' }: FakePlace) =>
  apiResources[resource].namespaced ? `${namespace}/${name}` : name;

/** With kind and version; what a Secret has as text is there as base64. */
function whole(resource: ResourceName, { stringData, ...body }: ObjectBody): FakeObject {
  const { apiVersion, kind } = apiResources[resource];
  const texts = Object.entries((stringData ?? {}) as Record<string, string>);
  const data = Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
  const secret = texts.length === 0 ? {} : { data: { ...(body['data'] as object | undefined), ...data } };
  return { apiVersion, kind, ...body, ...secret } as unknown as FakeObject;
}

/** A merge by RFC 7396. */
function merge(into: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof into === 'object' && into !== null && !Array.isArray(into) ? into : {};
  const merged: ObjectBody = { ...base };
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  return merged;
}

function scaleOf({ metadata, spec }: FakeObject): FakeObject {
  const { replicas } = spec as { replicas?: number };
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata, spec: { replicas: replicas ?? 1 } };
}

function unfitName(resource: ResourceName, name: string): FakeRefusal {
  const { kind } = apiResources[resource];
  const message = `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`;
  return new FakeRefusal(422, 'Invalid', {
    message: `${kind} "${name}" is invalid: metadata.name: ${message}`,
    causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.name' }],
  });
}
