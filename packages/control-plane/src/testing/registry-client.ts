import { hash } from 'node:crypto';
import type { Client } from '@roadstead/contracts';
import { type ControlPlaneContract, OCI_MANIFEST } from '@roadstead/contracts/control-plane';
import type { Fixture } from './fixture.ts';

/** A small client of registries, over HTTP: it pushes and fetches images as container engines do. */

type Bytes = Uint8Array<ArrayBuffer>;
export const bytesOf = (text: string): Bytes => new Uint8Array(Buffer.from(text));
export const sha256 = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes)}`;

export interface Ask extends RequestInit {
  readonly status?: number;
}

export class RegistryClient {
  /** `images/{workspace}/{deployment}/{image}` */
  readonly repository: string;
  readonly #fetch: Fixture['fetch'];
  readonly #password: string;

  constructor(options: {
    readonly fetch: Fixture['fetch'];
    readonly repository: string;
    readonly password: string;
  }) {
    this.repository = options.repository;
    this.#fetch = options.fetch;
    this.#password = options.password;
  }

  /** The same with another image or another credential. */
  as({ image, password = this.#password }: { readonly image?: string; readonly password?: string }) {
    const folder = this.repository.slice(0, this.repository.lastIndexOf('/'));
    const repository = image === undefined ? this.repository : `${folder}/${image}`;
    return new RegistryClient({ fetch: this.#fetch, repository, password });
  }

  async ask(method: string, path: string, { status, ...init }: Ask = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Basic ${btoa(`oauth2accesstoken:${this.#password}`)}`);
    const url = path.startsWith('/') ? path : `/v2/${this.repository}/${path}`;
    const body = init.body instanceof ReadableStream ? { duplex: 'half' as const } : {};
    const answer = await this.#fetch(
      new Request(`http://roadstead.test${url}`, { ...init, ...body, method, headers }),
    );
    if (status !== undefined && answer.status !== status)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  /** The code of a refusal. */
  async refusal(method: string, path: string, init: Ask = {}): Promise<[status: number, code: string]> {
    const answer = await this.ask(method, path, init);
    const { errors } = (await answer.json()) as { errors: { code: string }[] };
    return [answer.status, errors[0]?.code ?? ''];
  }

  async begin(): Promise<string> {
    const answer = await this.ask('POST', 'blobs/uploads/', { status: 202 });
    return answer.headers.get('location') ?? '';
  }

  /** Sends a piece, as clients that cut layers do; without a place at the end of what has come. */
  async append(location: string, bytes: Bytes, first?: number): Promise<Response> {
    const range = first === undefined ? {} : { 'content-range': `${first}-${first + bytes.length - 1}` };
    return this.ask('PATCH', location, { body: bytes, headers: range });
  }

  /** Pushes a layer as engines do: begun, streamed, ended. */
  async pushBlob(bytes: Bytes): Promise<string> {
    const location = await this.begin();
    const piece = await this.append(location, bytes);
    if (piece.status !== 202) throw new Error(`A piece was answered ${piece.status}: ${await piece.text()}`);
    const digest = sha256(bytes);
    await this.ask('PUT', `${piece.headers.get('location')}?digest=${digest}`, { status: 201 });
    return digest;
  }

  async pushManifest(
    reference: string,
    manifest: object,
    { type = OCI_MANIFEST, ...init }: Ask & { readonly type?: string } = {},
  ): Promise<Response> {
    const headers = { 'content-type': type };
    return this.ask('PUT', `manifests/${reference}`, { ...init, body: JSON.stringify(manifest), headers });
  }

  /** Pushes an image with these layers, and answers its digest. */
  async pushImage(reference: string, ...layers: string[]): Promise<string> {
    const manifest = manifestOf(layers);
    for (const text of ['{}', ...layers]) await this.pushBlob(bytesOf(text));
    const pushed = await this.pushManifest(reference, manifest, { status: 201 });
    return pushed.headers.get('docker-content-digest') ?? '';
  }

  /** The layers of an image, fetched. */
  async pullImage(reference: string): Promise<string[]> {
    const answer = await this.ask('GET', `manifests/${reference}`, { status: 200 });
    const { layers } = (await answer.json()) as { layers: { digest: string }[] };
    return Promise.all(
      layers.map(async ({ digest }) => (await this.ask('GET', `blobs/${digest}`, { status: 200 })).text()),
    );
  }
}

export const descriptorOf = (text: string, mediaType = 'application/vnd.oci.image.layer.v1.tar') => ({
  mediaType,
  digest: sha256(bytesOf(text)),
  size: Buffer.byteLength(text),
});

export const manifestOf = (layers: readonly string[], more: object = {}) => ({
  schemaVersion: 2,
  mediaType: OCI_MANIFEST,
  config: descriptorOf('{}', 'application/vnd.oci.image.config.v1+json'),
  layers: layers.map((text) => descriptorOf(text)),
  ...more,
});

/** A deployment of pushed images, and a client with a push token for it. */
export async function openRepository(
  fixture: Fixture,
  {
    name = 'pushed',
    client = fixture.client(),
  }: { readonly name?: string; readonly client?: Client<ControlPlaneContract> } = {},
): Promise<{ readonly id: string; readonly registry: RegistryClient; readonly registry_url: string }> {
  await fixture.listener().poll(0, ['archive', 'git', 'image']);
  const { id } = await client.createDeployment({
    body: {
      name,
      source: 'internal_image',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    },
  });
  const { token, registry_url } = await client.createPushToken({ params: { deployment_id: id } });
  const repository = `${registry_url.slice(registry_url.indexOf('/') + 1)}/agent`;
  const registry = new RegistryClient({ fetch: fixture.fetch, repository, password: token });
  return { id, registry, registry_url };
}
