import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, renameSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unpackArtifact } from '@roadstead/archives';
import { Manifest } from '@roadstead/contracts/host';
import { type GraphConfig, KeptGraphConfig, RULES_MARK } from '@roadstead/contracts/langgraph-json';
import { randomToken, syncPath, syncTree, writeWhole } from '@roadstead/kit';
import { packArtifact } from './artifact-files.ts';
import { removeTree } from '../folders/remove-tree.ts';
import { download } from '../steps/transfer.ts';
import { runStep, STEP_MS } from '../steps/steps.ts';

const MAX_ARTIFACT_BYTES = 2_147_483_648;
/** How many unused artifacts stay, so that going back to one needs no transfer. */
const SPARE = 10;

/** The revision that something was built for. */
interface BuildOwner {
  readonly deployment_id: string;
  readonly revision_id: string;
  readonly signal: AbortSignal;
}

/** Artifacts that pruning must keep: by digest, and by the revision they were built for. */
export interface RetainedArtifacts {
  readonly digests: ReadonlySet<string>;
  readonly revisions: ReadonlySet<string>;
}

/**
 * Built revisions on this machine, each in a folder named after its digest, created by a rename: complete or absent.
 * Beside the folder `{hex}` there may be `{hex}.tgz`, the archive that has still to be sent to the control plane;
 * `{hex}.{key of the config path}.json`, a manifest; `{hex}.{key}.config`, its graph configuration as it was read; `{hex}.{revision}.built` and `{hex}.{deployment}.claim`, empty notes.
 */
export class Artifacts {
  readonly #folder: string;
  /** Digests that were asked for since the last pruning began. */
  readonly #fresh = new Set<string>();

  static async open(folder: string): Promise<Artifacts> {
    // A killed process left it, and a build of that one may still write there: it goes when it can.
    const gone = join(folder, `gone.${randomToken(9)}`);
    await rename(join(folder, 'making'), gone).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    const left = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('gone.'));
    for (const name of left) void removeTree(join(folder, name)).catch(() => undefined);
    const artifacts = new Artifacts(folder);
    await artifacts.#makeFolders();
    return artifacts;
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folders again if somebody removed them: they are a cache. */
  async #makeFolders(): Promise<void> {
    await mkdir(join(this.#folder, 'making'), { recursive: true });
    await mkdir(this.#ready, { recursive: true });
    // User code may enter by path, and list nothing.
    await chmod(this.#folder, 0o711);
  }

  /** An empty folder to build something in. */
  async workFolder(): Promise<string> {
    await this.#makeFolders();
    const folder = join(this.#folder, 'making', randomToken(9));
    await mkdir(folder, { recursive: true });
    return folder;
  }

  pathOf(digest: string): string {
    return join(this.#ready, bare(digest));
  }

  get #ready(): string {
    return join(this.#folder, 'ready');
  }

  /** The folders of all artifacts that are here. */
  async folders(): Promise<string[]> {
    await this.#makeFolders();
    const names = await readdir(this.#ready);
    return names.filter((name) => !name.includes('.')).map((name) => join(this.#ready, name));
  }

  async has(digest: string): Promise<boolean> {
    return (await stat(this.pathOf(digest)).catch(() => undefined)) !== undefined;
  }

  /**
   * Packs a finished build and keeps both folder and archive; answers the digest. If it is killed before the end,
   * nothing was built.
   */
  async finish(made: string, { deployment_id, revision_id, signal }: BuildOwner): Promise<string> {
    const archive = `${made}.artifact.tgz`;
    await packArtifact(made, archive, { signal });
    const digest = await digestOf(archive);
    await syncPath(archive);
    // A note without its folder has no effect yet; with it, pruning keeps the artifacts of wanted revisions.
    await writeFile(this.#beside(digest, `${revision_id}.built`), '');
    await this.claim(digest, deployment_id);
    await rename(archive, this.#beside(digest, 'tgz'));
    await this.keep(digest, made);
    return digest;
  }

  /**
   * Keeps a folder under the digest of its source, for `roadstead dev`: nothing is packed or sent, and a power cut
   * may lose it, as the next save builds it again.
   */
  async keepUnpacked(
    made: string,
    { digest, deployment_id, revision_id }: Omit<BuildOwner, 'signal'> & { readonly digest: string },
  ): Promise<string> {
    await writeFile(this.#beside(digest, `${revision_id}.built`), '');
    await this.claim(digest, deployment_id);
    await this.#place(digest, made);
    return digest;
  }

  /** The digest of what was built here for a revision, perhaps before a restart. */
  async builtFor(revision_id: string): Promise<string | undefined> {
    await this.#makeFolders();
    for (const name of await readdir(this.#ready)) {
      const digest = `sha256:${hexOf(name)}`;
      if (revisionOf(name) === revision_id && (await this.has(digest))) return digest;
    }
    return undefined;
  }

  /** Forgets a useless build of a revision; it has to be built again. */
  async forgetBuilt(revision_id: string): Promise<void> {
    await this.#makeFolders();
    for (const name of await readdir(this.#ready))
      if (revisionOf(name) === revision_id) await rm(join(this.#ready, name), { force: true });
  }

  /** The archive of an artifact that was built here, until it `wasSent`. */
  async unsent(digest: string): Promise<string | undefined> {
    const archive = this.#beside(digest, 'tgz');
    return (await stat(archive).catch(() => undefined)) === undefined ? undefined : archive;
  }

  async wasSent(digest: string): Promise<void> {
    await rm(this.#beside(digest, 'tgz'), { force: true });
  }

  /** Notes which deployment uses an artifact, before it is fetched or kept. */
  async claim(digest: string, deployment_id: string): Promise<void> {
    this.#fresh.add(digest);
    await this.#makeFolders();
    await writeFile(this.#beside(digest, `${deployment_id}.claim`), '');
  }

  /** Removes the artifacts that only this deployment uses. */
  async release(deployment_id: string): Promise<void> {
    await this.#makeFolders();
    const note = `.${deployment_id}.claim`;
    for (const claim of (await readdir(this.#ready)).filter((name) => name.endsWith(note))) {
      await rm(join(this.#ready, claim));
      // Read and moved away in one tick, so that it can't be claimed in between.
      const files = readdirSync(this.#ready).filter((name) => hexOf(name) === hexOf(claim));
      if (!files.some((name) => name.endsWith('.claim'))) await this.#remove(files);
    }
  }

  /**
   * Moves a finished folder into place, once all of it would survive a power cut: all that is in place is complete.
   */
  async keep(digest: string, made: string): Promise<void> {
    await syncTree(made);
    await this.#place(digest, made);
    await syncPath(this.#ready);
  }

  async #place(digest: string, made: string): Promise<void> {
    // Its age counts from its arrival: pruning goes by that.
    const now = new Date();
    await utimes(made, now, now);
    await rename(made, this.pathOf(digest)).catch(async (error: NodeJS.ErrnoException) => {
      // Another build made the same bytes.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      await removeTree(made);
    });
  }

  /** Fetches and unpacks an artifact that isn't here. */
  async fetch(digest: string, url: string, signal: AbortSignal): Promise<void> {
    if (await this.has(digest)) return;
    const work = await this.workFolder();
    const archive = `${work}.tgz`;
    try {
      await runStep(
        async (until, goesOn) => {
          const max_bytes = MAX_ARTIFACT_BYTES;
          await download(url, { file: archive, digest, max_bytes, signal: until, goesOn });
          await unpackArtifact(archive, work, { signal: until });
        },
        { signal, limit: { ms: STEP_MS, error: () => new Error('The artifact was not fetched in time.') } },
      );
      await this.keep(digest, work);
    } finally {
      await rm(archive, { force: true });
      await removeTree(work);
    }
  }

  /** A graph host's description of the artifact, so that after a restart none has to start before the first call. */
  async manifest(digest: string, config_path: string): Promise<Manifest | undefined> {
    return Manifest.safeParse(await this.#readKept(digest, `${keyOf(config_path)}.json`)).data;
  }

  async keepManifest(digest: string, config_path: string, manifest: Manifest): Promise<void> {
    await this.#keepBeside(digest, `${keyOf(config_path)}.json`, manifest);
  }

  /** The graph configuration of the artifact, as it was read once; undefined where that was by other rules than today's. */
  async config(digest: string, config_path: string): Promise<GraphConfig | undefined> {
    const kept = await this.#readKept(digest, `${keyOf(config_path)}.config`);
    return KeptGraphConfig.safeParse(kept).data?.config;
  }

  async keepConfig(digest: string, config_path: string, config: GraphConfig): Promise<void> {
    await this.#keepBeside(digest, `${keyOf(config_path)}.config`, { rules: RULES_MARK, config });
  }

  /** Marks it as used until now, and so as the newest of the unused ones. */
  async touch(digest: string): Promise<void> {
    const now = new Date();
    await utimes(this.pathOf(digest), now, now).catch(() => undefined);
  }

  /**
   * Removes all artifacts but those that are needed (a list read once, at the beginning), those that are asked for
   * meanwhile, and the newest others.
   */
  async prune(needed: () => RetainedArtifacts, spare = SPARE): Promise<void> {
    const ready = this.#ready;
    this.#fresh.clear();
    const { digests, revisions } = needed();
    await this.#makeFolders();
    const names = await readdir(ready);
    const built = names.filter((name) => revisions.has(revisionOf(name) ?? ''));
    const kept = new Set([...[...digests].map(bare), ...built.map(hexOf)]);
    const unused = names.filter((name) => !name.includes('.') && !kept.has(name));
    const aged = await Promise.all(
      unused.map(async (name) => ({ name, at: (await stat(join(ready, name))).mtimeMs })),
    );
    for (const { name } of aged.toSorted((one, other) => other.at - one.at).slice(0, spare)) kept.add(name);
    for (const hex of new Set(names.map(hexOf))) {
      const isFresh = this.#fresh.has(`sha256:${hex}`);
      if (!isFresh && !kept.has(hex)) await this.#remove(names.filter((name) => hexOf(name) === hex));
    }
  }

  /** Moves these away at once; removing them may take a while. */
  async #remove(names: readonly string[]): Promise<void> {
    const gone = join(this.#folder, 'making', randomToken(9));
    for (const [at, name] of names.entries()) renameSync(join(this.#ready, name), `${gone}.${at}`);
    for (const at of names.keys()) await removeTree(`${gone}.${at}`);
  }

  async #readKept(digest: string, what: string): Promise<unknown> {
    return jsonOf(await readFile(this.#beside(digest, what), 'utf8').catch(() => ''));
  }

  async #keepBeside(digest: string, what: string, value: unknown): Promise<void> {
    await this.#makeFolders();
    const making = join(this.#folder, 'making');
    await writeWhole(this.#beside(digest, what), JSON.stringify(value), { making });
  }

  #beside(digest: string, what: string): string {
    return `${this.pathOf(digest)}.${what}`;
  }
}

const bare = (digest: string) => digest.replace('sha256:', '');

/** Stands for the path of a graph configuration in names of files, which are shorter than paths may be. */
const keyOf = (config_path: string) => createHash('sha256').update(config_path).digest('hex').slice(0, 32);

/** The artifact that a name below `ready` belongs to. */
const hexOf = (name: string) => name.split('.')[0] ?? '';

/** The revision that a note names as built. */
const revisionOf = (name: string) => /\.([^.]+)\.built$/.exec(name)?.[1];

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `sha256:${hash.digest('hex')}`;
}

/** Undefined for text that is no JSON: a power cut may lose a part of what was written. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
