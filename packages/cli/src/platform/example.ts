import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deploySource, explainFailure, findByName, waitForRevision } from '../deployments/deploy-source.ts';
import { targetOf } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Platform } from './platform.ts';

/** The examples that `up --example` deploys, through the public API like any user. */
export const examples = ['support-agent', 'approval-agent'] as const;
const folderOf = (name: string) => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

interface DeployExamples {
  /** The data folder. */
  readonly folder: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Each is deployed once per data folder: a deleted one does not come back. */
export async function deployExamples(
  platform: Platform,
  { folder, terminal, signal }: DeployExamples,
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
    terminal.err(`deploying the example ${terminal.bold(name)}`);
    const deployment = await deploySource(
      target,
      {
        folder: folderOf(name),
        name,
        config_path: 'langgraph.json',
        secrets: [],
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
    if (revision.status === 'DEPLOYED') await appendFile(stamp, `${name}\n`);
    else for (const line of explainFailure(revision, { with_log: true })) terminal.err(line);
  }
}
