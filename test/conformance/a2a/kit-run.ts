import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Addresses, type Kit, packages, type TestResult } from './kits.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

export interface KitRun {
  /** A clone of the kits' repository. */
  readonly repository: string;
  /** Where kits are laid out and packages installed; kept, so that the next time is quick. */
  readonly folder: string;
  readonly key: string;
  readonly addresses: Addresses;
  /** Only tests whose name fits (pytest's -k). */
  readonly pattern: string | undefined;
}

/** Runs a kit and answers what came of each of its tests. */
export async function runKit(kit: Kit, options: KitRun): Promise<readonly TestResult[]> {
  const { folder, key, addresses, pattern } = options;
  const python = await pythonIn(folder);
  const kit_folder = await laidOut(kit, options);
  const results = join(folder, `results-${kit.version}.jsonl`);
  await rm(results, { force: true });
  const selected = pattern === undefined ? [] : ['-k', pattern];
  const child = spawn(
    python,
    ['-m', 'pytest', '-p', 'kit_plugin', '-q', '--timeout', '120', ...kit.args(addresses), ...selected],
    {
      cwd: kit_folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        PYTHONPATH: here,
        PYTHONDONTWRITEBYTECODE: '1',
        A2A_KEY: key,
        A2A_BASE: addresses.base,
        A2A_CARD: `${addresses.rpc}/.well-known/agent-card.json`,
        A2A_VERSION: kit.version,
        A2A_RESULTS: results,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  await once(child, 'exit');
  return parseResults(await readFile(results, 'utf8'), kit.version);
}

/** One line a report; a test whose setting up failed or was skipped has no other. */
function parseResults(lines: string, version: Kit['version']): readonly TestResult[] {
  const byTest = new Map<string, TestResult>();
  for (const line of lines.split('\n').filter((one) => one !== '')) {
    const { test, outcome, message } = JSON.parse(line) as Omit<TestResult, 'version'>;
    // What fails after a test that passed fails it.
    if (outcome !== 'passed' || !byTest.has(test)) byTest.set(test, { version, test, outcome, message });
  }
  return [...byTest.values()];
}

async function laidOut({ commit, version }: Kit, { repository, folder }: KitRun): Promise<string> {
  const into = join(folder, `kit-${version}-${commit.slice(0, 12)}`);
  if (await isThere(join(into, 'pyproject.toml'))) return into;
  await mkdir(into, { recursive: true });
  const archive = `${into}.tar`;
  await run('git', ['-C', repository, 'archive', '--output', archive, commit]);
  await run('tar', ['-xf', archive, '-C', into]);
  await rm(archive);
  return into;
}

async function pythonIn(folder: string): Promise<string> {
  const python = join(folder, 'python', 'bin', 'python');
  const installed = join(folder, 'python', 'installed');
  const pins = packages.join('\n');
  if ((await readFile(installed, 'utf8').catch(() => '')) === pins) return python;
  await run('python3', ['-m', 'venv', join(folder, 'python')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  await writeFile(installed, pins);
  return python;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
