import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Deployment, isReservedVariable } from '@roadstead/contracts/control-plane';
import { type GraphConfig, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit/client';
import { deploySource, explainFailure, followRevision } from '../client/deploy-source.ts';
import { Interrupted, watchInterrupt } from '../client/interrupt.ts';
import { patiently } from '../client/patience.ts';
import { safeJson } from '../client/safe-text.ts';
import { findTarget, type Target } from '../client/target.ts';
import { type Command, type CommandCall, targetOptions, textOf } from './command.ts';

export const deploy: Command = {
  name: 'deploy',
  operands: '[DIR]',
  summary: 'Pack a folder, deploy it, and follow its build to the end.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the deployment (the folder’s name)' },
    config: { type: 'string', value: 'PATH', doc: 'graph configuration file (langgraph.json)' },
    secret: { type: 'string', multiple: true, value: 'K=V', doc: 'environment variable; may be repeated' },
    'env-file': {
      type: 'string',
      value: 'FILE',
      doc: 'file of environment variables, K=V a line (also the one that langgraph.json names)',
    },
    'install-command': { type: 'string', value: 'CMD', doc: 'instead of the detected one' },
    'build-command': { type: 'string', value: 'CMD', doc: 'run after the install' },
    'no-wait': { type: 'boolean', doc: 'do not wait for the end' },
    ...targetOptions,
  },
  fields: {
    'body.name': '--name',
    'body.secrets': '--secret',
    'body.source_config.install_command': '--install-command',
    'body.source_config.build_command': '--build-command',
    'body.source_revision_config.langgraph_config_path': '--config',
  },
  run: async ({ operands, values, terminal }) => {
    const folder = resolve(operands[0] ?? '.');
    if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
      throw new Problem('invalid', `${folder} is not a folder.`);
    const config_path = textOf(values['config']) ?? 'langgraph.json';
    const config = await readProjectConfig(folder, config_path);
    const target = await findTarget(values);
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    const onProgress = (line: string) => terminal.progress(`  ${line}`);
    const deployment = await deploySource(
      target,
      {
        folder,
        name: textOf(values['name']) ?? nameOf(folder),
        config_path,
        secrets: await secretsOf(envFileOf(config, join(folder, config_path)), { values, onProgress }),
        install_command: textOf(values['install-command']),
        build_command: textOf(values['build-command']),
      },
      { onProgress, signal },
    ).catch(orInterrupted(signal, 'Interrupted before the source was handed over: nothing is built.'));
    if (values['no-wait'] === true) {
      const { latest_revision_id: revision } = deployment;
      terminal.out(
        values['json'] === true
          ? safeJson(deployment)
          : `${deployment.name}: revision ${revision ?? ''} is on its way`,
      );
      return 0;
    }
    const { name } = deployment;
    return await follow(target, { deployment, values, terminal, signal }).catch(
      orInterrupted(
        signal,
        `Interrupted, but the build of ${name} goes on: \`roadstead logs ${name} --build --follow\` shows it, \`roadstead list\` how it ended.`,
      ),
    );
  },
};

interface Follow extends Pick<CommandCall, 'values' | 'terminal'> {
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
}

/** Follows a revision to its end and prints it; returns the exit code. */
async function follow(target: Target, { deployment, values, terminal, signal }: Follow): Promise<number> {
  const json = values['json'] === true;
  const revision = await followRevision(target, deployment, {
    terminal,
    onProgress: terminal.progress,
    logs: !json,
    signal,
  });
  const params = { deployment_id: deployment.id };
  const after = await patiently(() => target.control.readDeployment({ params, signal }), { signal });
  const isDeployed = revision.status === 'DEPLOYED';
  if (json) terminal.out(safeJson({ deployment: after, revision }));
  else if (isDeployed)
    terminal.out(`${terminal.bold(after.name)} is ${revision.status} and serves at ${after.url ?? ''}`);
  else for (const line of explainFailure(revision, { with_log: false })) terminal.err(line);
  return isDeployed ? 0 : 1;
}

/** A failure after Ctrl-C is an interruption. */
const orInterrupted =
  (signal: AbortSignal, sentence: string) =>
  (error: unknown): never => {
    throw signal.aborted ? new Interrupted(sentence) : error;
  };

function nameOf(folder: string): string {
  return basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);
}

/** Variables of the project's own env file, then of `--env-file`, then each `--secret`: the later ones win. */
async function secretsOf(
  env_file: string | undefined,
  {
    values,
    onProgress,
  }: { readonly values: CommandCall['values']; readonly onProgress: (line: string) => void },
): Promise<{ name: string; value: string }[]> {
  const files = [env_file, textOf(values['env-file'])].flatMap((file) => file ?? []);
  const read = await Promise.all(files.map((file) => variablesIn(file, onProgress)));
  const given = Array.isArray(values['secret']) ? (values['secret'] as string[]) : [];
  const variables = Object.assign({}, ...read, ...given.map(variableOf)) as Record<string, string>;
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Read before anything is sent, by the rules that a build reads it by. */
async function readProjectConfig(folder: string, path: string): Promise<GraphConfig> {
  const text = await readFile(join(folder, path), 'utf8').catch(() => {
    throw new Problem(
      'invalid',
      `There is no ${path} in ${folder}; name the folder of an agent, or its graph configuration with --config.`,
    );
  });
  const read = readLangGraphJson(text, path);
  if (read.kind === 'refused')
    throw new Problem('invalid', read.message, read.hint === undefined ? {} : { hint: read.hint });
  return read.config;
}

/** What `env` of the configuration names; env files are never packed, so they travel as secrets. */
function envFileOf({ env }: GraphConfig, path: string): string | undefined {
  if (typeof env !== 'string') return undefined;
  const file = join(dirname(path), env);
  return existsSync(file) ? file : undefined;
}

async function variablesIn(
  file: string,
  onProgress: (line: string) => void,
): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Problem('invalid', `${file} can't be read.`);
  });
  const all = Object.entries(parseEnv(text) as Record<string, string>);
  const ours = all.filter(([name]) => isReservedVariable(name)).map(([name]) => name);
  const kept = all.filter(([name]) => !isReservedVariable(name));
  if (kept.length > 0)
    onProgress(`${basename(file)}: ${kept.map(([name]) => name).join(', ')} go along as secrets`);
  if (ours.length > 0) onProgress(`${basename(file)}: ${ours.join(', ')} left out, the platform sets them`);
  return Object.fromEntries(kept);
}

function variableOf(given: string): Record<string, string> {
  const at = given.indexOf('=');
  if (at < 1) throw new Problem('invalid', 'A secret must look like NAME=VALUE.');
  return { [given.slice(0, at).trim()]: given.slice(at + 1) };
}
