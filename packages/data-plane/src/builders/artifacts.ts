import { createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import { Manifest } from '@roadstead/contracts';
import { Problem, randomToken } from '@roadstead/kit';
import { unpackArtifact } from './unpack.ts';

/** Built revisions on this machine, each in a folder named after its digest, made by a rename: whole or not there. */
export class Artifacts {
  readonly #folder: string;

  static async open(folder: string): Promise<Artifacts> {
    await mkdir(join(folder, 'ready'), { recursive: true });
    // What a killed process was still making.
    await rm(join(folder, 'making'), { recursive: true, force: true });
    await mkdir(join(folder, 'making'), { recursive: true });
    // User code may enter by path, and list nothing.
    await chmod(folder, 0o711);
    return new Artifacts(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** An empty folder to make something in. */
  async workFolder(): Promise<string> {
    const folder = join(this.#folder, 'making', randomToken(9));
    await mkdir(folder, { recursive: true });
    return folder;
  }

  pathOf(digest: string): string {
    return join(this.#folder, 'ready', digest.replace('sha256:', ''));
  }

  async has(digest: string): Promise<boolean> {
    return (await stat(this.pathOf(digest)).catch(() => undefined)) !== undefined;
  }

  /** Puts a made folder in its place. */
  async keep(digest: string, made: string): Promise<void> {
    await rename(made, this.pathOf(digest)).catch(async (error: NodeJS.ErrnoException) => {
      // Another build made the same bytes.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      await rm(made, { recursive: true, force: true });
    });
  }

  /** Fetches and unpacks what isn't here. */
  async fetch(digest: string, url: string, signal: AbortSignal): Promise<void> {
    if (await this.has(digest)) return;
    const work = await this.workFolder();
    const archive = `${work}.tgz`;
    await download(url, archive, signal);
    await unpackArtifact(archive, work);
    await rm(archive);
    await this.keep(digest, work);
  }

  /** What a graph host said of the artifact, so that after a restart none has to start before the first call. */
  async manifest(digest: string, config_path: string): Promise<Manifest | undefined> {
    const text = await readFile(this.#manifestPath(digest, config_path), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : Manifest.parse(JSON.parse(text));
  }

  async keepManifest(digest: string, config_path: string, manifest: Manifest): Promise<void> {
    const path = this.#manifestPath(digest, config_path);
    await writeFile(`${path}.new`, JSON.stringify(manifest));
    await rename(`${path}.new`, path);
  }

  /** Removes all but these. */
  async prune(keep: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...keep].map((digest) => digest.replace('sha256:', '')));
    for (const name of await readdir(join(this.#folder, 'ready'))) {
      const [digest = ''] = name.split('.');
      if (!kept.has(digest)) await rm(join(this.#folder, 'ready', name), { recursive: true, force: true });
    }
  }

  #manifestPath(digest: string, config_path: string): string {
    return `${this.pathOf(digest)}.${Buffer.from(config_path).toString('base64url')}.json`;
  }
}

export async function download(url: string, file: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null)
    throw new Problem('unavailable', `The control plane answered ${response.status} for a signed address.`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

/** A folder as gzip tar in a stable order; light compression, since it is read more often than it is kept. */
export async function packArtifact(folder: string, file: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== '.git').toSorted();
  await create({ cwd: folder, file, gzip: { level: 1 }, portable: true, noMtime: true }, names);
}
