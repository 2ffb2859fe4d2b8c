import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ApiError, isTerminal } from '@roadstead/contracts';
import { type Deployment, type Revision, revisionFlow } from '@roadstead/contracts/control-plane';
import { Problem, writeWhole } from '@roadstead/kit';
import { findByName, uploadSource } from './deploy-source.ts';
import { listSource, packSource } from './pack.ts';
import { patiently } from '../target/patience.ts';
import { findOwnPlace } from './listeners.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { type Secrets, withSecrets } from './variables.ts';

export interface DevOptions {
  readonly folder: string;
  readonly name: string;
  readonly config_path: string;
  /** The data folder of the platform, which runs on this machine. */
  readonly data_folder: string;
  /** Reads the current secrets. */
  readonly secrets: () => Promise<Secrets>;
}

/** A folder served as a deployment until it is closed: then only its traces are left. */
export class DevSession implements AsyncDisposable {
  readonly #target: Target;
  readonly #options: DevOptions;
  #deployment: Deployment;
  #digest = '';

  /** @throws Problem where a deployment with the name does not belong to `roadstead dev`. */
  static async open(
    target: Target,
    { signal, ...options }: DevOptions & { readonly signal: AbortSignal },
  ): Promise<DevSession> {
    const { name, config_path, data_folder } = options;
    const found = await findByName(target, name, { signal });
    if (found !== undefined) {
      requireSource(found, { source: 'internal_source' });
      await requireAbandoned(noteOf(data_folder, found.id), name);
    }
    const deployment =
      found ??
      (await target.control.createDeployment({
        body: {
          name,
          source: 'internal_source',
          source_config: await findOwnPlace(target),
          source_revision_config: { langgraph_config_path: config_path },
          secrets: [...(await options.secrets())],
        },
        // Not interruptible: a deployment that was created but is not known here would never be removed.
      }));
    return new DevSession(target, options, deployment);
  }

  private constructor(target: Target, options: DevOptions, deployment: Deployment) {
    this.#target = target;
    this.#options = options;
    this.#deployment = deployment;
  }

  get deployment(): Deployment {
    return this.#deployment;
  }

  /** Makes a revision of the folder's present state, and waits for its end; undefined where nothing changed. */
  async save(signal: AbortSignal): Promise<Revision | undefined> {
    const { folder, config_path } = this.#options;
    await using packed = await packSource(folder);
    const secrets = await this.#options.secrets();
    const hash = createHash('sha256').update(JSON.stringify([secrets, await packagesStamp(folder)]));
    for await (const bytes of packed.stream()) hash.update(bytes);
    const digest = hash.digest('hex');
    if (digest === this.#digest) return undefined;
    const params = { deployment_id: this.#deployment.id };
    await this.#note();
    const source_tarball_path = await uploadSource(this.#target, { ...params, packed, signal });
    this.#deployment = await this.#target.control.patchDeployment({
      params,
      body: {
        revision_source: 'internal_source',
        source_revision_config: { langgraph_config_path: config_path, source_tarball_path },
        ...(secrets.length === 0 ? {} : { secrets: [...withSecrets(this.#deployment, secrets)] }),
      },
      signal,
    });
    this.#digest = digest;
    return await this.#end(signal);
  }

  async #end(signal: AbortSignal): Promise<Revision> {
    const { id: deployment_id, latest_revision_id } = this.#deployment;
    const params = { deployment_id, revision_id: latest_revision_id ?? '' };
    for (;;) {
      const revision = await patiently(() => this.#target.control.readRevision({ params, signal }), {
        signal,
      });
      if (isTerminal(revisionFlow, revision.status)) {
        this.#deployment = await this.#target.control.readDeployment({ params: { deployment_id }, signal });
        return revision;
      }
      await setTimeout(POLL_MS, undefined, { signal });
    }
  }

  /** Notes for the data plane of this machine where the packages are. */
  async #note(): Promise<void> {
    const { folder, data_folder } = this.#options;
    const file = noteOf(data_folder, this.#deployment.id);
    await mkdir(join(data_folder, 'dev'), { recursive: true, mode: 0o700 });
    const note = { pid: process.pid, folder, packages: await packageFolders(folder) };
    await writeWhole(file, JSON.stringify(note));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { id: deployment_id, name } = this.#deployment;
    const query = { force: 'true' } as const;
    await this.#target.control
      .deleteDeployment({ params: { deployment_id }, query })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return;
        const why = error instanceof Error ? error.message : String(error);
        throw new Problem('unavailable', `${name} could not be removed, and may still serve: ${why}`, {
          hint: `\`roadstead delete ${name} --force\` removes it, and so does the end of the next \`roadstead dev\`.`,
        });
      });
    await rm(noteOf(this.#options.data_folder, deployment_id), { force: true });
  }
}

const POLL_MS = 50;
const noteOf = (data_folder: string, deployment_id: string) =>
  join(data_folder, 'dev', `${deployment_id}.json`);

/** A killed session leaves its note, and its deployment is taken over; no other is. */
async function requireAbandoned(file: string, name: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Problem(
      'conflict',
      `There is a deployment ${name} already, which would be replaced and removed: give --name.`,
    );
  const { pid } = JSON.parse(text) as { readonly pid: number };
  if (isAlive(pid))
    throw new Problem(
      'conflict',
      `\`roadstead dev\` serves ${name} already, as process ${pid}: give --name.`,
    );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Folders of installed packages, beside the files that would be deployed. */
async function packageFolders(folder: string): Promise<string[]> {
  const { folders } = await listSource(folder);
  const found = await Promise.all(
    folders.map(async (name) => {
      const path = join(name, 'node_modules');
      const entry = await stat(join(folder, path)).catch(() => undefined);
      return entry?.isDirectory() === true ? [path] : [];
    }),
  );
  return found.flat();
}

/** Files that package managers rewrite at every install. */
const STAMPS = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity'];

async function packagesStamp(folder: string): Promise<string> {
  const files = (await packageFolders(folder)).flatMap((path) =>
    STAMPS.map((name) => join(folder, path, name)),
  );
  const stamps = await Promise.all(
    files.map(async (file) => (await stat(file).catch(() => undefined))?.mtimeMs ?? 0),
  );
  return stamps.join();
}

/** @throws Problem where packages are listed and none are installed: a graph can't be served without them. */
export async function requirePackages(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const asked = JSON.parse(text) as { readonly dependencies?: object };
  if (Object.keys(asked.dependencies ?? {}).length === 0 || (await packageFolders(folder)).length > 0) return;
  throw new Problem(
    'invalid',
    `The packages of ${folder} are not installed there; \`npm install\` does it, or what the project uses instead.`,
    { hint: 'In a monorepo, name its root and the graph configuration with --config.' },
  );
}
