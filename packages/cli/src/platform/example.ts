import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVED_PYTHON } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import { type Environment, provideUv, Pythons } from '@roadstead/uv';
import { deploySource, explainFailure, findByName, waitForRevision } from '../deployments/deploy-source.ts';
import { type Target, targetOf } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Platform } from './platform.ts';

/** The examples that `up --example` deploys, through the public API like any user; the one in Python comes last. */
export const examples = ['support-agent', 'approval-agent', 'python-starter'] as const;
export const PYTHON_EXAMPLE = 'python-starter' satisfies (typeof examples)[number];
const folderOf = (name: string) => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

/** Longer than packages take to come; after it a build goes on, and nobody waits. */
const PYTHON_LIMIT_MS = 180_000;

interface DeployExamples {
  /** The data folder. */
  readonly folder: string;
  /** The operator's, which says where uv and Python are. */
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Each is deployed once per data folder: a deleted one does not come back. */
export async function deployExamples(
  platform: Platform,
  { folder, environment, terminal, signal }: DeployExamples,
): Promise<void> {
  const target = targetOf(platform.url, platform.api_key);
  const stamp = join(folder, 'examples');
  const done = new Set((await readFile(stamp, 'utf8').catch(() => '')).split('\n'));
  for (const name of examples.filter((one) => !done.has(one))) {
    signal.throwIfAborted();
    const known = await findByName(target, name);
    if (known?.active_revision_id != null) {
      await appendFile(stamp, `${name}\n`);
      continue;
    }
    const deploy = (until: AbortSignal) => deployExample(name, { target, terminal, signal: until });
    const is_deployed =
      name === PYTHON_EXAMPLE
        ? await deployInPython(deploy, { folder, environment, terminal, signal })
        : await deploy(signal);
    if (is_deployed) await appendFile(stamp, `${name}\n`);
  }
}

async function deployExample(
  name: string,
  { target, terminal, signal }: Pick<DeployExamples, 'terminal' | 'signal'> & { readonly target: Target },
): Promise<boolean> {
  terminal.err(`deploying the example ${terminal.bold(name)}`);
  const deployment = await deploySource(
    target,
    {
      folder: folderOf(name),
      name,
      config_path: 'langgraph.json',
      secrets: [],
      place: {},
      install_command: undefined,
      build_command: undefined,
    },
    { onProgress: (line) => terminal.err(`           ${line}`), signal },
  );
  const revision = await waitForRevision(target, deployment, {
    terminal,
    onProgress: terminal.err,
    logs: false,
    signal,
  });
  if (revision.status === 'DEPLOYED') return true;
  for (const line of explainFailure(revision, { with_log: true })) terminal.err(line);
  return false;
}

/** Deploys the example where uv and Python can be had, and says in a sentence why not where they can't. */
async function deployInPython(
  deploy: (signal: AbortSignal) => Promise<boolean>,
  { folder, environment, terminal, signal }: DeployExamples,
): Promise<boolean> {
  const limit = AbortSignal.timeout(PYTHON_LIMIT_MS);
  const until = AbortSignal.any([signal, limit]);
  try {
    const uv = await provideUv({ folder: join(folder, 'uv'), environment, signal: until });
    const pythons = new Pythons({ uv: async () => uv, folder: join(folder, 'pythons'), environment });
    await pythons.provide(SERVED_PYTHON, until);
    return await deploy(until);
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Problem && !limit.aborted ? error.message : 'It takes too long.';
    terminal.err(`The example in Python, ${terminal.bold(PYTHON_EXAMPLE)}, does not serve yet: ${why}`);
    return false;
  }
}
