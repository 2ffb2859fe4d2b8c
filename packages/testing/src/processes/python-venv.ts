import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVED_PYTHON } from '@roadstead/contracts/langgraph-json';
import { provideUv, Pythons, readOperatorSettings } from '@roadstead/uv';
import { kept } from './kept.ts';

/** The uv and the Pythons of tests, and environments with pinned packages, each made once for all runs. */

const run = promisify(execFile);
const MINUTES_5 = 300_000;

export interface PythonTools {
  readonly uv: string;
  readonly pythons: Pythons;
}

/** Why there are none, in words, where neither uv nor a Python can be had. */
export async function pythonTools(): Promise<PythonTools | string> {
  const environment = { ...process.env };
  const signal = AbortSignal.timeout(MINUTES_5);
  try {
    const folder = await kept('python-tools', async () => undefined);
    const uv = await provideUv({ folder: join(folder, 'uv'), environment, signal });
    const pythons = new Pythons({ uv: async () => uv, folder: join(folder, 'pythons'), environment });
    await pythons.provide(SERVED_PYTHON, signal);
    return { uv, pythons };
  } catch (error) {
    return `Python can't be tried: ${(error as Error).message}`;
  }
}

export type VenvOptions = VenvPackages & {
  /** The Python that is wanted, as uv understands it. */
  readonly python?: string;
};

type VenvPackages =
  /** A file of requirements, each with its version and its hashes. */
  | { readonly requirements: string }
  /** Packages with their versions; what they need in turn is the newest that they take. */
  | { readonly packages: readonly string[] };

/** The interpreter of an environment with these packages, or why there is none, in words. */
export async function venvWith({
  python: request = SERVED_PYTHON,
  ...wanted
}: VenvOptions): Promise<{ readonly python: string } | string> {
  const tools = await pythonTools();
  if (typeof tools === 'string') return tools;
  try {
    const signal = AbortSignal.timeout(MINUTES_5);
    const python = await tools.pythons.provide(request, signal);
    const { text, args } = await listOf(wanted);
    const digest = createHash('sha256')
      .update(`${python.executable} ${python.version}\0${text}`)
      .digest('hex');
    const folder = await kept(`venv-${digest.slice(0, 16)}`, async (part) => {
      const options = { env: { ...(await variables()), VIRTUAL_ENV: part }, timeout: MINUTES_5 };
      const make = ['venv', '--relocatable', '--allow-existing', '--no-project'];
      await run(tools.uv, [...make, '--python', python.executable, part], options);
      await run(tools.uv, ['pip', 'install', ...args], options);
    });
    return { python: join(folder, 'bin', 'python') };
  } catch (error) {
    return `Python can't be tried: ${(error as Error).message}`;
  }
}

/** The text of a list of packages, which tells it from others, and the arguments that install it. */
async function listOf(
  wanted: VenvPackages,
): Promise<{ readonly text: string; readonly args: readonly string[] }> {
  if ('packages' in wanted) return { text: wanted.packages.join('\n'), args: wanted.packages };
  const { requirements } = wanted;
  return { text: await readFile(requirements, 'utf8'), args: ['--require-hashes', '-r', requirements] };
}

/** The environment of uv, which knows the indexes of pip too. */
async function variables(): Promise<Record<string, string | undefined>> {
  const settings = await readOperatorSettings({ ...process.env });
  const { default_index, extra_indexes, find_links, certificates } = settings;
  return {
    ...process.env,
    ...(default_index === undefined ? {} : { UV_DEFAULT_INDEX: default_index }),
    ...(extra_indexes.length === 0 ? {} : { UV_INDEX: extra_indexes.join(' ') }),
    ...(find_links.length === 0 ? {} : { UV_FIND_LINKS: find_links.join(',') }),
    ...(certificates === undefined ? {} : { SSL_CERT_FILE: certificates }),
  };
}
