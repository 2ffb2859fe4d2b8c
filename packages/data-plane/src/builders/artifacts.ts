import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import { Manifest } from '@roadstead/contracts';
import { randomToken } from '@roadstead/kit';
import { download } from './transfer.ts';
import { unpackArtifact } from './unpack.ts';

const MAX_ARTIFACT_BYTES = 2_147_483_648;
/** How many unused artifacts stay, so that going back to one needs no transfer. */
const SPARE = 10;

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
    // Its age is when it came here: that is what pruning goes by.
    const now = new Date();
    await utimes(made, now, now);
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
    try {
      await download(url, archive, { digest, max_bytes: MAX_ARTIFACT_BYTES }, signal);
      await unpackArtifact(archive, work);
      await this.keep(digest, work);
    } finally {
      await rm(archive, { force: true });
      await rm(work, { recursive: true, force: true });
    }
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

  /** Removes all but these and the newest others. */
  async prune(keep: ReadonlySet<string>, spare = SPARE): Promise<void> {
    const ready = join(this.#folder, 'ready');
    const kept = new Set([...keep].map((digest) => digest.replace('sha256:', '')));
    const unused = (await readdir(ready)).filter((name) => !name.includes('.') && !kept.has(name));
    const aged = await Promise.all(
      unused.map(async (name) => ({ name, at: (await stat(join(ready, name))).mtimeMs })),
    );
    for (const { name } of aged.toSorted((one, other) => other.at - one.at).slice(0, spare)) kept.add(name);
    for (const name of await readdir(ready)) {
      const [digest = ''] = name.split('.');
      if (!kept.has(digest)) await rm(join(ready, name), { recursive: true, force: true });
    }
  }

  #manifestPath(digest: string, config_path: string): string {
    return `${this.pathOf(digest)}.${Buffer.from(config_path).toString('base64url')}.json`;
  }
}

/** A folder as gzip tar: the same files give the same bytes. Light compression, since it is read more often than kept. */
export async function packArtifact(folder: string, file: string): Promise<void> {
  const paths = await sortedPaths(folder, '');
  await create(
    { cwd: folder, file, gzip: { level: 1 }, portable: true, noMtime: true, noDirRecurse: true },
    paths.length === 0 ? ['.'] : paths,
  );
}

async function sortedPaths(folder: string, below: string): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (path === '.git') continue;
    // A leading `@` means "the entries of that archive" to tar.
    paths.push(`./${path}`);
    if (entry.isDirectory()) paths.push(...(await sortedPaths(folder, path)));
  }
  return paths;
}
