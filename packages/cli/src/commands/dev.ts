import { join } from 'node:path';
import type { Revision } from '@roadstead/contracts/control-plane';
import { explainFailure } from '../deployments/deploy-source.ts';
import { DevSession, requirePackages } from '../deployments/dev-session.ts';
import { watchInterrupt } from '../terminal/interrupt.ts';
import { openLocalPlatform } from '../target/local-platform.ts';
import { followLog } from '../deployments/log-stream.ts';
import {
  deploymentNameOf,
  envFileOf,
  readProjectConfig,
  requireFolder,
} from '../deployments/project-config.ts';
import { SourceWatch } from '../deployments/source-watch.ts';
import type { Target } from '../target/target.ts';
import { elapsed, type Terminal } from '../terminal/terminal.ts';
import { givenSecrets } from '../deployments/variables.ts';
import { type Command, targetOptions, textOf } from '../command-line/command.ts';

export const dev: Command = {
  name: 'dev',
  operands: '[DIR]',
  summary:
    'Serve a folder as a deployment of this machine, and again after each save, with the packages of JavaScript that are installed in it, and those of Python that its files name. Ctrl-C removes the deployment; its traces stay.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the deployment (the folder’s, with -dev)' },
    config: {
      type: 'string',
      value: 'PATH',
      doc: 'graph configuration file (langgraph.json)',
      completes: 'files',
    },
    secret: { type: 'string', multiple: true, value: 'K=V', doc: 'environment variable; may be repeated' },
    'env-file': {
      type: 'string',
      value: 'FILE',
      doc: 'file of environment variables, read again at each save',
      completes: 'files',
    },
    ...targetOptions,
  },
  examples: [
    { call: 'dev', does: 'the folder that one is in; starts a platform where none runs' },
    { call: 'dev agents/support --env-file .env', does: 'another one, with its variables' },
  ],
  completes: { '[DIR]': 'folders' },
  fields: { 'body.name': '--name', 'body.secrets': '--secret' },
  run: async ({ operands, values, terminal }) => {
    const folder = await requireFolder(operands[0] ?? '.');
    const config_path = textOf(values['config']) ?? 'langgraph.json';
    const config = await readProjectConfig(folder, config_path);
    // There is no build that could report it.
    for (const warning of config.warnings) terminal.err(warning);
    await requirePackages(folder);
    if (config.python !== null)
      terminal.progress('The packages of Python are installed now, and again when what names them changes.');
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    try {
      await using platform = await openLocalPlatform({ values, terminal }, signal);
      const { target, data_folder } = platform;
      await using session = await DevSession.open(target, {
        folder,
        name: textOf(values['name']) ?? `${deploymentNameOf(folder).slice(0, 59)}-dev`,
        config_path,
        data_folder,
        secrets: () => givenSecrets(envFileOf(config, join(folder, config_path)), { values }),
        signal,
      });
      using watch = await SourceWatch.open(folder);
      await Promise.all([
        serveEachSave(session, { watch, terminal, signal }),
        showLogs(target, { deployment_id: session.deployment.id, terminal, signal }),
      ]);
    } catch (error) {
      // A deployment that could not be removed matters more than why the work ended.
      if (error instanceof SuppressedError) throw error.error;
      if (!signal.aborted) throw error;
    }
    terminal.progress('The deployment is removed.');
    return 0;
  },
};

interface ServeOptions {
  readonly watch: SourceWatch;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** A save replaces the one before if that is still being rolled out. */
async function serveEachSave(session: DevSession, { watch, terminal, signal }: ServeOptions): Promise<never> {
  let changed = watch.next(signal);
  for (let is_first = true; ;) {
    const began = Date.now();
    const newer = new AbortController();
    const saving = session.save(AbortSignal.any([signal, newer.signal]));
    const isNewer = await Promise.race([saving.then(() => false), changed.then(() => true)]);
    if (isNewer) {
      newer.abort();
      await saving.catch(() => undefined);
    } else {
      const revision = await saving;
      if (revision !== undefined) {
        report(revision, { session, terminal, took: elapsed(began), is_first });
        is_first = false;
      }
      await changed;
    }
    changed = watch.next(signal);
  }
}

interface ReportContext {
  readonly session: DevSession;
  readonly terminal: Terminal;
  readonly took: string;
  readonly is_first: boolean;
}

function report(revision: Revision, { session, terminal, took, is_first }: ReportContext): void {
  const { name, url: address, active_revision_id } = session.deployment;
  if (revision.status === 'DEPLOYED') {
    const what = is_first ? `${terminal.bold(name)} serves at ${address ?? ''}` : 'serves the new code';
    terminal.out(`${terminal.green('✓')} ${what} after ${took}; Ctrl-C removes it`);
    return;
  }
  for (const line of explainFailure(revision, { with_log: true })) terminal.err(terminal.red(line));
  terminal.err(
    active_revision_id === null
      ? 'Nothing serves yet; save what mends it.'
      : 'The revision that served keeps serving.',
  );
}

/** Prints the deployment's output from now on. */
async function showLogs(
  target: Target,
  { deployment_id, terminal, signal }: Omit<ServeOptions, 'watch'> & { readonly deployment_id: string },
): Promise<void> {
  const query = { start_time: new Date().toISOString() };
  const log = { deployment_id, revision_id: undefined, query, after: undefined, signal };
  for await (const { message } of followLog(target, log)) terminal.out(`${terminal.dim('│')} ${message}`);
}
