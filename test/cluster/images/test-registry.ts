import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basicOf } from '@roadstead/kit';

/** A layer, as a tar. */
export interface ImageLayer {
  readonly digest: string;
  readonly size: number;
  readonly path: string;
}

/** An image: its configuration names its layers. */
export interface LayeredImage {
  readonly layers: readonly ImageLayer[];
  readonly configuration: Readonly<Record<string, unknown>> & { readonly config: ImageConfig };
}

export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
}

interface RegistryOptions {
  /** Without it anybody gets anything. */
  readonly login?: { readonly username: string; readonly password: string };
}

interface Content {
  readonly type: string;
  readonly bytes: Buffer;
  readonly digest: string;
}

const contentOf = (type: string, content: object): Content => {
  const bytes = Buffer.from(JSON.stringify(content));
  return { type, bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
};
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';

/** What a registry has of an image beside its layers. */
export function writtenOf({ layers, configuration }: LayeredImage) {
  const config = contentOf(CONFIG, configuration);
  const manifest = contentOf(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, digest: config.digest, size: config.bytes.length },
    layers: layers.map(({ digest, size }) => ({ mediaType: LAYER, digest, size })),
  });
  return { config, manifest };
}

/**
 * A registry that gives out images, and takes none. Nodes find it at an address of loopback, which they call without a certificate.
 * @see https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pull
 */
export class TestRegistry implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #authorization: string | undefined;
  /** Each is there by its tag and by its digest. */
  readonly #manifests = new Map<string, Content>();
  readonly #blobs = new Map<string, Content>();
  readonly #layers = new Map<string, ImageLayer>();

  private constructor(server: Server, { login }: RegistryOptions) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#authorization = login && basicOf(login);
    server.on('request', (request: IncomingMessage, answer: ServerResponse) => this.#answer(request, answer));
  }

  static async open(options: RegistryOptions = {}): Promise<TestRegistry> {
    const server = createServer();
    await once(server.listen(0, '0.0.0.0'), 'listening');
    return new TestRegistry(server, options);
  }

  get name(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Has an image from now on, and answers its name. */
  add(repository: string, { layers, configuration }: LayeredImage): string {
    const { config, manifest } = writtenOf({ layers, configuration });
    this.#blobs.set(config.digest, config);
    for (const layer of layers) this.#layers.set(layer.digest, layer);
    for (const version of ['1', manifest.digest]) this.#manifests.set(`${repository}/${version}`, manifest);
    return `${this.name}/${repository}:1`;
  }

  #answer({ url = '', method, headers }: IncomingMessage, answer: ServerResponse): void {
    if (this.#authorization !== undefined && headers.authorization !== this.#authorization)
      return void answer.writeHead(401, { 'www-authenticate': 'Basic realm="images"' }).end();
    if (url === '/v2/') return void answer.end('{}');
    const [, repository, kind, version = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    const layer = this.#layers.get(version);
    if (kind === 'blobs' && layer !== undefined) return giveFile(layer, { method, answer });
    const found =
      kind === 'blobs' ? this.#blobs.get(version) : this.#manifests.get(`${repository}/${version}`);
    if (found === undefined) {
      const errors = [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }];
      return void answer.writeHead(404).end(JSON.stringify({ errors }));
    }
    const { type, bytes, digest } = found;
    const said = { 'content-type': type, 'docker-content-digest': digest };
    answer.writeHead(200, { ...said, 'content-length': bytes.length });
    answer.end(method === 'HEAD' ? undefined : bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function giveFile(
  { digest, size, path }: ImageLayer,
  { method, answer }: { readonly method: string | undefined; readonly answer: ServerResponse },
): void {
  const said = { 'content-type': 'application/octet-stream', 'docker-content-digest': digest };
  answer.writeHead(200, { ...said, 'content-length': size });
  if (method === 'HEAD') answer.end();
  else createReadStream(path).pipe(answer);
}
