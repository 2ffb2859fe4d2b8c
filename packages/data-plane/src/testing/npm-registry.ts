import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

interface StoredPackage {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: Buffer;
}

/** A package registry on this machine, for real package managers; its requests are recorded. */
export class NpmRegistry implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #packages = new Map<string, StoredPackage>();
  readonly #server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    this.asked.push(path);
    const [, name, tarball] = /^\/((?:@[^/]+\/)?[^/]+)(\/-\/.*)?$/.exec(path) ?? [];
    const found = this.#packages.get(name ?? '');
    if (found === undefined) return void response.writeHead(404).end('{}');
    if (tarball !== undefined) return void response.end(found.tarball);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.#packument(name ?? '', found)));
  });

  static async open(): Promise<NpmRegistry> {
    const registry = new NpmRegistry();
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Answers its integrity. */
  async publish({ name, version, scripts = {}, files = {} }: PublishedPackage): Promise<string> {
    const manifest = { name, version, scripts, main: 'index.js' };
    const folder = await mkdtemp(join(tmpdir(), 'publish-'));
    const all = { 'package.json': JSON.stringify(manifest), 'index.js': '', ...files };
    for (const [path, text] of Object.entries(all)) {
      await mkdir(dirname(join(folder, 'package', path)), { recursive: true });
      await writeFile(join(folder, 'package', path), text);
    }
    await create({ cwd: folder, file: join(folder, 'package.tgz'), gzip: true }, ['package']);
    const tarball = await readFile(join(folder, 'package.tgz'));
    await rm(folder, { recursive: true });
    this.#packages.set(name, { manifest, tarball });
    return integrityOf(tarball);
  }

  /** The path of a package's archive. */
  tarballUrl(name: string, version: string): string {
    return `${this.url}${name}/-/${name.split('/').at(-1) ?? ''}-${version}.tgz`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #packument(name: string, { manifest, tarball }: StoredPackage) {
    const version = String(manifest['version']);
    const dist = {
      tarball: this.tarballUrl(name, version),
      integrity: integrityOf(tarball),
      shasum: createHash('sha1').update(tarball).digest('hex'),
    };
    const has_script = Object.keys(manifest['scripts'] as object).length > 0;
    return {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist, hasInstallScript: has_script } },
      time: { [version]: '2024-01-01T00:00:00.000Z' },
    };
  }
}

const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
