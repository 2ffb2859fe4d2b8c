import type { Readable } from 'node:stream';
import { z } from 'zod';
import { ApiConnection } from './api-connection.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { ListOptions, ObjectList } from './object-list.ts';
import { type ObjectMap, ObjectWatch, type WatchOptions } from './object-watch.ts';
import { isRefusal, orAbsent } from './refusal.ts';
import { apiResources, pathOf, pathOfApi, selectorOf } from './resource-paths.ts';
import type { KubernetesObject, ResourceName, Resources, StoredObject } from './resources.ts';

/** Whom the API server names as owner of the fields that are applied. */
const MANAGER = 'roadstead';
/** Objects asked at once: a page of pods is about a megabyte. */
const PAGE = 100;

const Version = z.object({ gitVersion: z.string(), platform: z.string().optional() });
const Discovery = z.object({ resources: z.array(z.object({ name: z.string() })) });
const Review = z.object({ status: z.object({ allowed: z.boolean() }) });
const AnyObject = z.looseObject({
  // What is only tried has no version.
  metadata: z.looseObject({ name: z.string(), uid: z.string(), resourceVersion: z.string().default('') }),
});
const Page = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(AnyObject).nullish(),
});

/** Which object. Unset, the namespace is that of the access. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

interface DeleteOptions {
  /** Whether what it owns goes before it, after it, or stays. */
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** The one that is meant: another of the same name is left alone, by a refusal 409. */
  readonly uid?: string;
  /** Seconds that pods are given to end; unset, as they ask. */
  readonly grace_s?: number;
}

interface ApplyOptions {
  /** Whether fields that others own are taken over; otherwise they are a refusal 409 that names them and their owners. */
  readonly force?: boolean;
  /** Whether everything is judged, admission too, and nothing is written. */
  readonly dry_run?: boolean;
  readonly signal?: AbortSignal;
}

interface PatchOptions {
  readonly subresource?: 'scale' | 'status';
}

interface LogOptions {
  readonly container?: string;
  /** Whether what comes later comes too, until the container ends. */
  readonly follow?: boolean;
  readonly since?: Date;
  readonly limit_bytes?: number;
  /** Whether each line begins with its time (RFC 3339, nanoseconds) and a space. */
  readonly timestamps?: boolean;
  /** Whether it is the log of the container before its last restart. */
  readonly previous?: boolean;
  readonly signal?: AbortSignal;
}

interface AccessQuestion {
  readonly verb: string;
  readonly resource: string;
  /** The group of the API; the core's is empty. */
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

type ClientOptions = { readonly manager?: string };

/**
 * A cluster, by the API of its API server: JSON over HTTPS. Each call throws KubernetesRefusal, with the server's own words, where it
 * refuses (404 not found, 409 conflict, 422 unfit, 403 forbidden or over quota), and Problem `unavailable` (`cluster_away`) where it is
 * away or can't just now (429, 500, 503, a broken connection): those may be called again.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export class KubernetesClient implements AsyncDisposable {
  readonly namespace: string;
  readonly #connection: ApiConnection;
  readonly #manager: string;

  constructor(access: ClusterAccess, { manager = MANAGER }: ClientOptions = {}) {
    this.namespace = access.namespace;
    this.#connection = new ApiConnection(access);
    this.#manager = manager;
  }

  /** The version of the API server, such as `v1.34.2`. */
  async describe(): Promise<{ readonly version: string }> {
    const found = await this.#connection.ask({ method: 'GET', path: '/version' });
    return { version: Version.parse(found).gitVersion };
  }

  /** Whether the cluster has a resource, such as `poddisruptionbudgets` of `policy/v1`. */
  async hasResource(apiVersion: string, resource: string): Promise<boolean> {
    const found = await this.#connection.ask({ method: 'GET', path: pathOfApi(apiVersion) }).catch(orAbsent);
    return found !== undefined && Discovery.parse(found).resources.some(({ name }) => name === resource);
  }

  /** Whether we may do something. The answer holds for now, and of a `name` for that object alone. */
  async may(question: AccessQuestion): Promise<boolean> {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace: this.namespace, ...question } },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    return Review.parse(await this.#connection.ask({ method: 'POST', path, body })).status.allowed;
  }

  /** Undefined where there is none. */
  async find<R extends ResourceName>(
    resource: R,
    { name, namespace = this.namespace }: ObjectName,
  ): Promise<StoredObject<Resources[R]> | undefined> {
    const path = pathOf(resource, { namespace, name });
    const found = await this.#connection.ask({ method: 'GET', path }).catch(orAbsent);
    return found === undefined ? undefined : objectOf<Resources[R]>(found);
  }

  /** All objects that fit, a page at a time, as they were at one moment. */
  async list<R extends ResourceName>(
    resource: R,
    options: ListOptions = {},
  ): Promise<ObjectList<Resources[R]>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#listOnce(resource, options);
      } catch (error) {
        // The moment of the first page was forgotten before the last page was asked.
        if (!isRefusal(error, 410) || tries === 3) throw error;
      }
    }
  }

  /**
   * Makes an object.
   * @throws KubernetesRefusal 409 `AlreadyExists`
   */
  async create<R extends ResourceName>(
    resource: R,
    object: Resources[R],
  ): Promise<StoredObject<Resources[R]>> {
    const path = pathOf(resource, { namespace: object.metadata.namespace ?? this.namespace });
    const query = { fieldManager: this.#manager };
    const body = wholeOf(resource, object);
    return objectOf<Resources[R]>(await this.#connection.ask({ method: 'POST', path, query, body }));
  }

  /**
   * Makes an object be as it is given: it is created, or its fields that are named here are changed, and those that were named here
   * before and are not any longer are removed. What others own is left alone.
   * @param object with a name
   * @throws KubernetesRefusal 409 whose `causes` name the fields that others own
   * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
   */
  async apply<R extends ResourceName>(
    resource: R,
    object: Resources[R],
    { force = false, dry_run = false, signal }: ApplyOptions = {},
  ): Promise<StoredObject<Resources[R]>> {
    const { name = '', namespace = this.namespace } = object.metadata;
    const found = await this.#connection.ask({
      method: 'PATCH',
      path: pathOf(resource, { namespace, name }),
      query: { fieldManager: this.#manager, force, dryRun: dry_run ? 'All' : undefined },
      type: 'application/apply-patch+yaml',
      body: wholeOf(resource, object),
      signal,
    });
    return objectOf<Resources[R]>(found);
  }

  /**
   * Merges a patch into an object, or into a part of it that has an address of its own.
   * @param patch as RFC 7396 has it: null removes. With `metadata.resourceVersion` it is written to that version alone, else refused 409
   */
  async patch<R extends ResourceName>(
    resource: R,
    {
      name,
      namespace = this.namespace,
      patch,
      subresource,
    }: ObjectName & PatchOptions & { readonly patch: object },
  ): Promise<void> {
    await this.#connection.ask({
      method: 'PATCH',
      path: pathOf(resource, { namespace, name, subresource }),
      query: { fieldManager: this.#manager },
      type: 'application/merge-patch+json',
      body: patch,
    });
  }

  /** Sets the number of its pods. Whoever applied that owns it no longer: they leave `replicas` out from then on, or take it by force. */
  async scale(deployment: ObjectName, replicas: number): Promise<void> {
    await this.patch('deployments', { ...deployment, subresource: 'scale', patch: { spec: { replicas } } });
  }

  /**
   * Asks for an object's end; it may be there for a while. Does nothing where it is gone.
   * @returns whether it was there
   */
  async delete(
    resource: ResourceName,
    { name, namespace = this.namespace, propagation, uid, grace_s }: ObjectName & DeleteOptions,
  ): Promise<boolean> {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: propagation,
      preconditions: uid === undefined ? undefined : { uid },
      gracePeriodSeconds: grace_s,
    };
    const path = pathOf(resource, { namespace, name });
    return (await this.#connection.ask({ method: 'DELETE', path, body }).catch(orAbsent)) !== undefined;
  }

  /**
   * Opens the log of a pod's container, to be read by `readLines` of the kit. A container that has not started is a
   * refusal 400; the log of a pod that no node has taken is empty.
   * @returns both outputs; it breaks off with an error where the connection does
   */
  async openLog(
    { name, namespace = this.namespace }: ObjectName,
    { since, limit_bytes, signal, ...query }: LogOptions = {},
  ): Promise<Readable> {
    return await this.#connection.open({
      method: 'GET',
      path: pathOf('pods', { namespace, name, subresource: 'log' }),
      query: { ...query, sinceTime: since?.toISOString(), limitBytes: limit_bytes },
      signal,
    });
  }

  /** Follows all objects that fit, from now until it is disposed of. */
  watch<R extends ResourceName>(
    resource: R,
    options: WatchOptions<Resources[R]> = {},
  ): ObjectMap<Resources[R]> {
    const { namespace, labels, fields } = options;
    const { path, query } = this.#selection(resource, options);
    return new ObjectWatch<Resources[R]>(options, {
      list: (signal) =>
        this.list(resource, {
          ...(namespace === undefined ? {} : { namespace }),
          ...(labels === undefined ? {} : { labels }),
          ...(fields === undefined ? {} : { fields }),
          signal,
        }),
      open: (more, signal) =>
        this.#connection.open({ method: 'GET', path, query: { ...query, ...more }, signal }),
      failureFor: (status, said) => this.#connection.failureFor(status, said),
      awayFor: (error) => this.#connection.awayFor(error),
    });
  }

  /** Closes its connections; what is asked over them fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
  }

  async #listOnce<R extends ResourceName>(
    resource: R,
    options: ListOptions,
  ): Promise<ObjectList<Resources[R]>> {
    const { path, query } = this.#selection(resource, options);
    const items: StoredObject<Resources[R]>[] = [];
    let next: string | undefined;
    for (;;) {
      const page = Page.parse(
        await this.#connection.ask({
          method: 'GET',
          path,
          query: { ...query, limit: PAGE, continue: next },
          signal: options.signal,
        }),
      );
      for (const item of page.items ?? []) items.push(slim<Resources[R]>(item));
      next = page.metadata.continue;
      if (!next) return { items, resource_version: page.metadata.resourceVersion };
    }
  }

  #selection(resource: ResourceName, { namespace = this.namespace, labels, fields }: ListOptions) {
    return {
      path: pathOf(resource, { namespace: typeof namespace === 'string' ? namespace : undefined }),
      query: {
        labelSelector: labels === undefined ? undefined : selectorOf(labels),
        fieldSelector: fields === undefined ? undefined : selectorOf(fields),
      },
    };
  }
}

/** What the API asks of an object beside what its resource says of it. */
function wholeOf(resource: ResourceName, object: KubernetesObject): object {
  const { apiVersion, kind } = apiResources[resource];
  return { apiVersion, kind, ...object };
}

const objectOf = <T extends KubernetesObject>(found: unknown): StoredObject<T> =>
  slim<T>(AnyObject.parse(found));

/** Leaves out who owns which field: it may be larger than the object, and nobody reads it. */
function slim<T extends KubernetesObject>(object: z.infer<typeof AnyObject>): StoredObject<T> {
  delete object.metadata['managedFields'];
  return object as unknown as StoredObject<T>;
}
