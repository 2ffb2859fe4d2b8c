import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Principal } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';
import {
  createSigner,
  createSigningKey,
  createVerifier,
  type CallerContext,
  listen,
  toNodeListener,
} from '@roadstead/http';
import { type Blobs, folderPlace, openBlobs } from '@roadstead/blobs';
import { type Clock, createSecretBox, type Log, silentLog } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { createGuardedFetch, createGuardedStream, type Mailer } from '@roadstead/outbound';
import { type FreshDatabase, freshDatabase } from '@roadstead/testing';
import { migrations } from '../migrations/index.ts';
import type { WorkspacesOf } from '../workspaces/workspaces.ts';
import { fakeWorkspaces } from './fake-workspaces.ts';
import { type ObservabilityService, startObservability } from '../observability.ts';

/** An observability service on a database of its own, for tests, and clients of it in any workspace. */

export const WORKSPACE = '11111111-1111-4111-8111-111111111111';
export const OTHER_WORKSPACE = '22222222-2222-4222-8222-222222222222';

export interface Fixture extends AsyncDisposable {
  readonly fresh: FreshDatabase;
  readonly service: ObservabilityService;
  /** The store of attachments. */
  readonly blobs: Blobs;
  /** Sends a request as an edge passes it on; the path is below the origin. */
  send(
    path: string,
    init?: RequestInit & { readonly workspace_id?: string; readonly actor?: string },
  ): Promise<Response>;
  /** Posts a value as JSON. */
  post(path: string, body: unknown, workspace_id?: string): Promise<Response>;
  client(workspace_id?: string, actor?: string): Client<typeof observability>;
  /** Listens for real HTTP; keys are `key-{workspace id}`. */
  listen(): Promise<{ readonly url: string } & AsyncDisposable>;
}

export interface FixtureOptions {
  /** Wraps the database that the service uses. */
  readonly between?: (db: Database) => Database;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Counts answers. */
  readonly onAnswer?: (operation: string, status: number) => void;
  readonly free_disk?: () => Promise<number>;
  readonly public_url?: string;
  readonly public_sharing?: boolean;
  readonly monthly_traces?: number;
  readonly monthly_bytes?: number;
  readonly workspaces?: WorkspacesOf;
  readonly mailer?: Mailer;
  /** Ingests traces on a thread of its own, which ignores `between` and `clock`. */
  readonly thread?: boolean;
}

/** The two places of ingestion, which must behave alike. */
export const ingestions: readonly (readonly [string, Pick<FixtureOptions, 'thread'>])[] = [
  ['by the thread that serves', {}],
  ['by a thread of its own', { thread: true }],
];

export async function startFixture({
  between,
  thread = false,
  ...options
}: FixtureOptions = {}): Promise<Fixture> {
  const fresh = await freshDatabase('traces', [{ schema: 'traces', migrations }]);
  const folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-attachments-'));
  const place = folderPlace(folder.path);
  const blobs = await openBlobs(place, 'attachments');
  const signer = createSigner(createSigningKey());
  const service = await startObservability({
    db: between === undefined ? fresh.db : between(fresh.db),
    verify: createVerifier(signer.public_keys, { audience: 'observability' }),
    log: silentLog,
    blobs,
    ingestion_thread: thread ? { database_url: fresh.url, blobs: place } : undefined,
    secret_box: createSecretBox(['the secret key of tests']),
    public_url: 'http://test',
    public_sharing: true,
    workspaces: fakeWorkspaces(),
    outbound: createGuardedFetch({ allowed_hosts: ['127.0.0.1'] }),
    model_fetch: createGuardedStream({ allowed_hosts: ['127.0.0.1'] }),
    check_answers: true,
    ...options,
  });
  const inward = (workspace_id: string, actor = 'key:test'): CallerContext => {
    const principal: Principal = { workspace_id, actor, scopes: ['admin'] };
    return { assertion: signer.sign(principal, 'observability') };
  };
  const send: Fixture['send'] = async (path, { workspace_id = WORKSPACE, actor, ...init } = {}) =>
    service.served.fetch(new Request(`http://test${path}`, init), inward(workspace_id, actor));
  const headers = { 'content-type': 'application/json' };
  return {
    fresh,
    service,
    blobs,
    send,
    post: (path, body, workspace_id = WORKSPACE) =>
      send(path, { method: 'POST', body: JSON.stringify(body), headers, workspace_id }),
    client: (workspace_id = WORKSPACE, actor?: string) =>
      createClient(observability, {
        base_url: 'http://test',
        fetch: (request) => service.served.fetch(request, inward(workspace_id, actor)),
      }),
    async listen() {
      const answer = async (request: Request) => {
        const [, workspace_id] = /^key-(.+)$/.exec(request.headers.get('x-api-key') ?? '') ?? [];
        return service.served.fetch(request, workspace_id === undefined ? {} : inward(workspace_id));
      };
      const server = await listen(toNodeListener(answer), {
        host: '127.0.0.1',
        port: 0,
      });
      return {
        url: `http://127.0.0.1:${server.port}`,
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

/** A part of a multipart body; text or bytes. */
export type Part = readonly [name: string, content: string | Uint8Array, headers?: string];

export function multipartBody(parts: readonly Part[], boundary = 'a0b1c2'): Buffer {
  const written = parts.flatMap(([name, content, headers = 'Content-Type: application/json']) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
}

export function multipartInit(parts: readonly Part[], headers: Record<string, string> = {}) {
  return {
    method: 'POST',
    body: new Uint8Array(multipartBody(parts)),
    headers: { 'content-type': 'multipart/form-data; boundary=a0b1c2', ...headers },
  };
}
