import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ClusterAccess } from '../cluster-access.ts';
import { apiResources } from '../resource-paths.ts';
import type { ResourceName } from '../resources.ts';
import { FakeObjects, type FakePlace, type ObjectBody } from './fake-objects.ts';
import { FakeRefusal } from './fake-refusal.ts';
import { selectionOf } from './fake-selectors.ts';
import type { FakeObject, FakeStore } from './fake-store.ts';
import { FakeWatch, goneFor } from './fake-watch.ts';

/** What goes wrong with the next requests that fit. */
export interface FakeFault {
  /** Fits method and path with query, such as `GET /api/v1/namespaces/default/pods?watch=true`. */
  readonly on: RegExp;
  /** `hang` never answers, `cut` breaks the connection off. */
  readonly does: 'hang' | 'cut' | FakeRefusal;
  /** How often; unset, once. */
  times?: number;
}

const TOKEN = 'token-of-the-fake';

/**
 * An API server that keeps its objects in memory and speaks HTTP on loopback, or HTTPS with a certificate that it is given. It does
 * what `client-suite.ts` holds the real one to. Nothing schedules or runs its pods but `objects.onPod`.
 */
export class FakeApiServer implements AsyncDisposable {
  readonly objects = new FakeObjects();
  /** The tokens that it takes. */
  readonly tokens = new Set([TOKEN]);
  readonly faults: FakeFault[] = [];
  /** All requests: method, path and query. */
  readonly requests: string[] = [];
  /** Whether somebody may do what is asked about. */
  mayDo: (attributes: Readonly<Record<string, string>>) => boolean = () => true;
  readonly #watches = new Set<FakeWatch>();
  readonly #server: Server;
  readonly #is_secure: boolean;

  static async open(tls?: ServerOptions): Promise<FakeApiServer> {
    const fake = new FakeApiServer(tls);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  private constructor(tls: ServerOptions | undefined) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    this.#is_secure = tls !== undefined;
    this.#server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
  }

  get store(): FakeStore {
    return this.objects.store;
  }

  /** The number of watches that are open. */
  get watches(): number {
    return this.#watches.size;
  }

  get address(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#is_secure ? 'https' : 'http'}://127.0.0.1:${port}`;
  }

  get access(): ClusterAccess {
    const readCredential = async () => ({ token: [...this.tokens][0] });
    return { server: this.address, namespace: 'default', insecure: false, readCredential };
  }

  /** Says to all who watch up to when everything was told. */
  bookmark(): void {
    for (const watch of this.#watches) watch.bookmark();
  }

  /** Ends all watches: in order, as after their time, or by breaking them off. */
  endWatches(how: 'end' | 'cut'): void {
    for (const watch of this.#watches) watch[how]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.objects[Symbol.dispose]();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    this.requests.push(line);
    try {
      const fault = this.#faultOn(line);
      if (fault === 'hang') return;
      if (fault === 'cut') return void request.destroy();
      if (fault !== undefined) throw fault;
      const [, token = ''] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
      if (!this.tokens.has(token)) throw new FakeRefusal(401, 'Unauthorized', { message: 'Unauthorized' });
      const answer = await this.#do(request, response);
      if (answer !== undefined) say(response, request.method === 'POST' ? 201 : 200, answer);
    } catch (error) {
      const unknown = new FakeRefusal(500, 'InternalError', { message: String((error as Error).stack) });
      const refusal = error instanceof FakeRefusal ? error : unknown;
      const { retry_after_s } = refusal;
      if (retry_after_s !== undefined) response.setHeader('retry-after', String(retry_after_s));
      say(response, refusal.status, refusal.body);
    }
  }

  #faultOn(line: string): FakeFault['does'] | undefined {
    const fault = this.faults.find(({ on, times = 1 }) => times > 0 && on.test(line));
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    return fault?.does;
  }

  /** The body of the answer; undefined where it was given here, or goes on. */
  async #do(request: IncomingMessage, response: ServerResponse): Promise<object | undefined> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.address);
    const method = request.method ?? '';
    const body = method === 'GET' ? {} : ((await json(request)) as ObjectBody);
    if (pathname === '/version') return { gitVersion: 'v1.34.0-fake', platform: 'linux/amd64' };
    if (pathname.endsWith('/selfsubjectaccessreviews')) return this.#review(body);
    const place = placeOf(pathname);
    if (place.resource === undefined) return discoveryOf(place.apiVersion);
    const { apiVersion } = apiResources[place.resource] ?? {};
    if (apiVersion !== place.apiVersion) throw unknownPath();
    const found = { ...place, resource: place.resource };
    if (place.subresource === 'log') return this.#log(found, { query, response });
    if (method === 'GET' && place.name === undefined) return this.#list(found, { query, response });
    if (method === 'GET') return this.objects.read(found);
    if (method === 'DELETE') return this.objects.delete(found, body);
    const manager = query.get('fieldManager') ?? 'unknown';
    const dry_run = query.get('dryRun') === 'All';
    if (method === 'POST') return this.objects.create(found, { body, manager });
    if (request.headers['content-type'] === 'application/apply-patch+yaml')
      return this.objects.apply(found, { body, manager, dry_run, force: query.get('force') === 'true' });
    if (method === 'PATCH') return this.objects.patch(found, { body, manager });
    throw unknownPath();
  }

  #list(place: FakePlace, { query, response }: FakeQuery): object | undefined {
    const { apiVersion, kind } = apiResources[place.resource];
    const selects = selectionOf(query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
    const judge = (object: FakeObject) =>
      (place.namespace === undefined || object.metadata.namespace === place.namespace) && selects(object);
    if (query.get('watch') === 'true') {
      const watch = new FakeWatch(this.store, response, {
        resource: place.resource,
        judge,
        version: query.get('resourceVersion') ?? '',
        bookmarks: query.get('allowWatchBookmarks') === 'true',
        timeout_s: Number(query.get('timeoutSeconds') ?? 1800),
        apiVersion,
        kind,
      });
      this.#watches.add(watch);
      response.once('close', () => this.#watches.delete(watch));
      return undefined;
    }
    const [version = String(this.store.version), after = ''] = (query.get('continue') ?? '')
      .split(' ')
      .filter(Boolean);
    if (this.store.since(Number(version)) === undefined) throw goneFor(version, this.store.version);
    const limit = Number(query.get('limit') ?? Infinity);
    const left = this.store
      .list(place.resource)
      .filter(judge)
      .filter((object) => orderOf(object) > after);
    const items = left.slice(0, limit);
    const last = items.at(-1);
    const more =
      left.length > items.length && last !== undefined
        ? { continue: `${version} ${orderOf(last)}`, remainingItemCount: left.length - items.length }
        : {};
    return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: version, ...more }, items };
  }

  #log(place: FakePlace, { query, response }: FakeQuery): undefined {
    const log = this.objects.logOf(place);
    if (log === undefined) return void response.writeHead(204).end();
    const stream = log.read({
      follow: query.get('follow') === 'true',
      since: Date.parse(query.get('sinceTime') ?? '1970-01-01'),
      limit: Number(query.get('limitBytes') ?? Infinity),
      timestamps: query.get('timestamps') === 'true',
    });
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
    stream.pipe(response);
    response.once('close', () => stream.destroy());
  }

  #review({ spec }: ObjectBody): object {
    const { resourceAttributes = {} } = (spec ?? {}) as { resourceAttributes?: Record<string, string> };
    return { status: { allowed: this.mayDo(resourceAttributes) } };
  }
}

interface FakeQuery {
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
}

const orderOf = ({ metadata: { namespace = '', name } }: FakeObject) => `${namespace}/${name}`;

function placeOf(
  pathname: string,
): Omit<FakePlace, 'resource'> & { apiVersion: string; resource: ResourceName | undefined } {
  const [root, ...parts] = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const apiVersion = parts.splice(0, root === 'api' ? 1 : 2).join('/');
  const [namespace] = parts[0] === 'namespaces' && parts.length > 2 ? parts.splice(0, 2).slice(1) : [];
  const [resource, name, subresource] = parts;
  return { apiVersion, namespace, resource: resource as ResourceName | undefined, name, subresource };
}

function discoveryOf(apiVersion: string): object {
  const resources = Object.entries(apiResources)
    .filter(([, resource]) => resource.apiVersion === apiVersion)
    .map(([name, { kind, namespaced }]) => ({ name, kind, namespaced }));
  if (resources.length === 0) throw unknownPath();
  return { kind: 'APIResourceList', groupVersion: apiVersion, resources };
}

const unknownPath = () =>
  new FakeRefusal(404, 'NotFound', { message: 'the server could not find the requested resource' });

function say(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'audit-id': randomUUID() })
    .end(JSON.stringify(body));
}
