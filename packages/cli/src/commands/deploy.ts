import { join } from 'node:path';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit/client';
import { deployGit } from '../client/deploy-git.ts';
import { deploySource } from '../client/deploy-source.ts';
import { followDeployment, orInterrupted, sayOnItsWay } from '../client/follow-deployment.ts';
import { watchInterrupt } from '../client/interrupt.ts';
import { deploymentNameOf, envFileOf, readProjectConfig, requireFolder } from '../client/project-config.ts';
import { findTarget, type Target } from '../client/target.ts';
import { type Secrets, secretsOf, variableOf, variablesIn } from '../client/variables.ts';
import { type Command, type CommandCall, targetOptions, textOf, waitOptions } from './command.ts';

export const deploy: Command = {
  name: 'deploy',
  operands: '[DIR]',
  summary: 'Deploy a folder, or a git repository, and follow its build to the end.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the deployment (the folder’s or the repository’s)' },
    config: {
      type: 'string',
      value: 'PATH',
      doc: 'graph configuration file (langgraph.json)',
      completes: 'files',
    },
    git: {
      type: 'string',
      value: 'URL',
      doc: 'from this repository, by https or ssh, and not from a folder',
    },
    ref: { type: 'string', value: 'REF', doc: 'git: branch, commit, or refs/tags/TAG (main)' },
    integration: { type: 'string', value: 'ID', doc: 'git: the integration that may read the repository' },
    'build-on-push': { type: 'boolean', doc: 'git: a push to the branch makes a revision' },
    secret: { type: 'string', multiple: true, value: 'K=V', doc: 'environment variable; may be repeated' },
    'env-file': {
      type: 'string',
      value: 'FILE',
      doc: 'file of environment variables, K=V a line (also the one that langgraph.json names)',
      completes: 'files',
    },
    'install-command': { type: 'string', value: 'CMD', doc: 'instead of the detected one' },
    'build-command': { type: 'string', value: 'CMD', doc: 'run after the install' },
    ...waitOptions,
    ...targetOptions,
  },
  examples: [
    { call: 'deploy', does: 'the folder that one is in' },
    { call: 'deploy agents/support --name support-agent', does: 'another one, by a name of its own' },
    { call: 'deploy --env-file .env.production --no-wait', does: 'with variables, and without waiting' },
    {
      call: 'deploy --git https://github.com/acme/agent --build-on-push',
      does: 'from a repository, and anew at each push',
    },
  ],
  completes: { '[DIR]': 'folders' },
  fields: {
    'body.name': '--name',
    'body.secrets': '--secret',
    'body.source_config.install_command': '--install-command',
    'body.source_config.build_command': '--build-command',
    'body.source_config.repo_url': '--git',
    'body.source_config.integration_id': '--integration',
    'body.source_config.build_on_push': '--build-on-push',
    'body.source_revision_config.repo_ref': '--ref',
    'body.source_revision_config.langgraph_config_path': '--config',
  },
  run: async ({ operands, values, terminal }) => {
    requireOneSource(operands, values);
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    const onProgress = (line: string) => terminal.progress(`  ${line}`);
    const begin = textOf(values['git']) === undefined ? beginWithFolder : beginWithGit;
    const { target, sent } = await begin({ operands, values, signal, onProgress });
    const deployment = await sent.catch(
      orInterrupted(signal, 'Interrupted before the source was handed over: nothing is built.'),
    );
    if (values['no-wait'] === true) {
      sayOnItsWay(deployment, { values, terminal });
      return 0;
    }
    return await followDeployment(target, { deployment, values, terminal, signal });
  },
};

const GIT_OPTIONS = ['ref', 'integration', 'build-on-push'];

function requireOneSource([folder]: readonly string[], values: CommandCall['values']): void {
  const from_git = values['git'] !== undefined;
  if (from_git && folder !== undefined)
    throw new Problem('invalid', 'A folder and --git can’t both be deployed; leave one of them out.');
  const alone = GIT_OPTIONS.find((name) => values[name] !== undefined);
  if (!from_git && alone !== undefined)
    throw new Problem('invalid', `--${alone} is about a repository: name it with --git.`);
}

interface Begin extends Pick<CommandCall, 'operands' | 'values'> {
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** The platform, and the deployment once its source is there. */
interface Begun {
  readonly target: Target;
  readonly sent: Promise<Deployment>;
}

async function beginWithFolder({ operands, values, signal, onProgress }: Begin): Promise<Begun> {
  const folder = await requireFolder(operands[0] ?? '.');
  const config_path = textOf(values['config']) ?? 'langgraph.json';
  const config = await readProjectConfig(folder, config_path);
  const target = await findTarget(values);
  const env_file = envFileOf(config, join(folder, config_path));
  const source = {
    folder,
    name: textOf(values['name']) ?? deploymentNameOf(folder),
    config_path,
    secrets: await givenSecrets(env_file, { values, onProgress }),
    install_command: textOf(values['install-command']),
    build_command: textOf(values['build-command']),
  };
  return { target, sent: deploySource(target, source, { onProgress, signal }) };
}

async function beginWithGit({ values, signal, onProgress }: Begin): Promise<Begun> {
  const repo_url = textOf(values['git']) ?? '';
  const target = await findTarget(values);
  const source = {
    name: textOf(values['name']) ?? deploymentNameOf(repo_url),
    repo_url,
    ref: textOf(values['ref']),
    integration_id: textOf(values['integration']),
    build_on_push: values['build-on-push'] === true,
    config_path: textOf(values['config']),
    secrets: await givenSecrets(undefined, { values, onProgress }),
    install_command: textOf(values['install-command']),
    build_command: textOf(values['build-command']),
  };
  return { target, sent: deployGit(target, source, { onProgress, signal }) };
}

/** Variables of the project's own env file, then of `--env-file`, then each `--secret`: the later ones win. */
async function givenSecrets(
  env_file: string | undefined,
  { values, onProgress }: Pick<Begin, 'values' | 'onProgress'>,
): Promise<Secrets> {
  const files = [env_file, textOf(values['env-file'])].flatMap((file) => file ?? []);
  const read = await Promise.all(files.map((file) => variablesIn(file, onProgress)));
  const given = Array.isArray(values['secret']) ? (values['secret'] as string[]) : [];
  const variables = Object.assign({}, ...read, ...given.map((one) => variableOf(one, '--secret')));
  return secretsOf(variables as Record<string, string>);
}
