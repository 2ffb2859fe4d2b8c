import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { provideUv, Pythons, readOperatorSettings, uvConfigOf } from '@roadstead/uv';

/** A Python environment of tests, kept on this machine from one run to the next. */

const SETUP_MS = 300_000;

export interface VenvOptions {
  /** A file of requirements, each with its version and its hashes. */
  readonly requirements: string;
  /** The Python that is wanted, as uv understands it. */
  readonly python?: string;
  /** Where environments are kept; one place for all tests of this user by default. */
  readonly folder?: string;
}

/** What a test that can't have its Python says, and why. */
export interface MissingVenv {
  readonly missing: string;
}

/**
 * The interpreter of an environment with these packages, made where there is none yet: `{ python }`. Where neither uv nor
 * Python nor the packages can be had, `{ missing }` says why, so that tests can say it as they skip.
 */
export async function provideVenv(options: VenvOptions): Promise<{ readonly python: string } | MissingVenv> {
  try {
    return { python: await makeVenv(options) };
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    return { missing: `${(error as Error).message} ${stderr}`.trim() };
  }
}

async function makeVenv({
  requirements,
  python: request = '>=3.11,<3.15',
  folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'roadstead-tests'),
}: VenvOptions): Promise<string> {
  const signal = AbortSignal.timeout(SETUP_MS);
  const environment = { ...process.env };
  const uv = await provideUv({ folder: join(folder, 'uv'), environment, signal });
  const pythons = new Pythons({ uv: async () => uv, folder: join(folder, 'pythons'), environment });
  const python = await pythons.provide(request, signal);
  const text = await readFile(requirements, 'utf8');
  const key = createHash('sha256').update(`${python.executable} ${python.version}\0${text}`).digest('hex');
  const path = join(folder, 'venvs', key.slice(0, 32));
  const program = join(path, 'bin/python');
  if (await isThere(program)) return program;
  const making = `${path}.${randomUUID()}`;
  try {
    await mkdir(making, { recursive: true });
    const settings = await readOperatorSettings(environment);
    await writeFile(join(making, 'uv.toml'), uvConfigOf(settings), { mode: 0o600 });
    const run = promisify(execFile);
    const config = ['--config-file', join(making, 'uv.toml')];
    const place = join(making, 'venv');
    const { certificates } = settings;
    const env = {
      ...environment,
      VIRTUAL_ENV: place,
      ...(certificates === undefined ? {} : { SSL_CERT_FILE: certificates }),
    };
    await run(
      uv,
      ['venv', '--relocatable', '--no-project', '--python', python.executable, place, ...config],
      {
        env,
        signal,
      },
    );
    await run(uv, ['pip', 'install', '--require-hashes', '-r', requirements, ...config], { env, signal });
    // Another process may have made the same one meanwhile.
    await rename(place, path).catch(async (error: unknown) => {
      if (!(await isThere(program))) throw error;
    });
    return program;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
