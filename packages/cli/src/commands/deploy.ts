import { join } from 'node:path';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { deployGit } from '../deployments/deploy-git.ts';
import { deployImage, deployPushedImage, nameOfImage } from '../deployments/deploy-image.ts';
import { deploySource } from '../deployments/deploy-source.ts';
import { deployTemplate } from '../deployments/deploy-template.ts';
import { findPlace } from '../deployments/listeners.ts';
import { readImageFields } from '../deployments/image-fields.ts';
import { waitForDeployment, orInterrupted, sayOnItsWay } from '../deployments/wait-for-deployment.ts';
import { watchInterrupt } from '../terminal/interrupt.ts';
import {
  deploymentNameOf,
  envFileOf,
  readProjectConfig,
  requireFolder,
} from '../deployments/project-config.ts';
import { findTarget, type Target } from '../target/target.ts';
import { givenSecrets } from '../deployments/variables.ts';
import {
  type Command,
  type CommandCall,
  targetOptions,
  textOf,
  waitOptions,
} from '../command-line/command.ts';

export const deploy: Command = {
  name: 'deploy',
  operands: '[DIR]',
  summary: 'Deploy a folder, a git repository, a template or an image, and follow it to the end.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the deployment (that of its source)' },
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
    template: {
      type: 'string',
      value: 'NAME',
      doc: 'from this template, as it is; `roadstead init --list` shows them',
      completes: 'templates',
    },
    image: {
      type: 'string',
      value: 'REF',
      doc: 'this container image, where a listener runs images; with graphs in it, or any server of HTTP',
    },
    push: {
      type: 'boolean',
      doc: 'push the image to the platform first, by docker or podman of this machine',
    },
    resources: {
      type: 'string',
      value: 'FILE',
      doc: 'image: its resource_spec, an object of JSON, in place of the one before (docs/fields.md)',
      completes: 'files',
    },
    'secret-reference': {
      type: 'string',
      multiple: true,
      value: 'NAME=SECRET/KEY',
      doc: 'image: variable from a Secret of its cluster, in place of those before; may be repeated, and is "" for none',
    },
    listener: {
      type: 'string',
      value: 'NAME|ID',
      doc: 'run it there, once for ever; `roadstead listener list` shows them (the only one that can run it)',
    },
    namespace: {
      type: 'string',
      value: 'NAME',
      doc: 'namespace of the listener’s cluster, once for ever (the first of its own; an image has to name one of several)',
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
      does: 'from a repository, and again at each push',
    },
    {
      call: 'deploy --image registry.example.com/team/agent:1.4',
      does: 'an image, by the digest of its tag',
    },
    {
      call: 'deploy --image agent:1.4 --listener berlin --namespace agents',
      does: 'an image, in a namespace of the cluster that was joined by this name',
    },
    { call: 'deploy --image agent:dev --push', does: 'an image of this machine, without another registry' },
  ],
  completes: { '[DIR]': 'folders' },
  fields: {
    'body.name': '--name',
    'body.secrets': '--secret',
    'body.source_config.install_command': '--install-command',
    'body.source_config.build_command': '--build-command',
    'body.source_config.repo_url': '--git',
    'body.source_config.template_id': '--template',
    'body.source_config.resource_spec': '--resources',
    'body.secret_references': '--secret-reference',
    'body.source_config.listener_id': '--listener',
    'body.source_config.listener_config.cluster_namespace': '--namespace',
    'body.source_config.listener_config': '--namespace',
    'body.source_revision_config.image_uri': '--image',
    'body.source_config.integration_id': '--integration',
    'body.source_config.build_on_push': '--build-on-push',
    'body.source_revision_config.repo_ref': '--ref',
    'body.source_revision_config.langgraph_config_path': '--config',
  },
  run: async ({ operands, values, terminal }) => {
    const kind = sourceOf(operands, values);
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    const onProgress = (line: string) => terminal.progress(`  ${line}`);
    const begin = beginnings[kind];
    const { target, sent } = await begin({ operands, values, signal, onProgress });
    const deployment = await sent.catch(
      orInterrupted(signal, 'Interrupted before the source was handed over: nothing is built.'),
    );
    if (values['no-wait'] === true) {
      sayOnItsWay(deployment, { values, terminal });
      return 0;
    }
    return await waitForDeployment(target, { deployment, values, terminal, signal });
  },
};

const GIT_OPTIONS = ['ref', 'integration', 'build-on-push'];
const IMAGE_OPTIONS = ['push', 'resources', 'secret-reference'];
const BUILD_OPTIONS = ['config', 'install-command', 'build-command'];

const NAMED = ['git', 'template', 'image'] as const;

type Kind = 'folder' | (typeof NAMED)[number];

/** Requires exactly one source. */
function sourceOf([folder]: readonly string[], values: CommandCall['values']): Kind {
  const named = NAMED.filter((name) => values[name] !== undefined);
  if (named.length + (folder === undefined ? 0 : 1) > 1)
    throw new Problem(
      'invalid',
      'A folder, --git, --template and --image each are a source; only one can be deployed.',
    );
  const kind = named[0] ?? 'folder';
  const alone = GIT_OPTIONS.find((name) => values[name] !== undefined);
  if (kind !== 'git' && alone !== undefined)
    throw new Problem('invalid', `--${alone} is about a repository: name it with --git.`);
  const pictured = IMAGE_OPTIONS.find((name) => values[name] !== undefined);
  if (kind !== 'image' && pictured !== undefined)
    throw new Problem('invalid', `--${pictured} is about an image: name it with --image.`);
  const foreign = BUILD_OPTIONS.find((name) => values[name] !== undefined);
  if ((kind === 'template' || kind === 'image') && foreign !== undefined)
    throw new Problem(
      'invalid',
      `--${foreign} can’t be given: a${kind === 'image' ? 'n' : ''} ${kind} is deployed as it is.`,
    );
  return kind;
}

const textsOf = (value: CommandCall['values'][string]): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : [];

interface DeployCall extends Pick<CommandCall, 'operands' | 'values'> {
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** The platform, and the deployment once its source is there. */
interface StartedDeploy {
  readonly target: Target;
  readonly sent: Promise<Deployment>;
}

const placeIn = (target: Target, { values, signal }: Pick<DeployCall, 'values' | 'signal'>) =>
  findPlace(target, {
    listener: textOf(values['listener']),
    namespace: textOf(values['namespace']),
    signal,
  });

async function beginWithFolder({ operands, values, signal, onProgress }: DeployCall): Promise<StartedDeploy> {
  const folder = await requireFolder(operands[0] ?? '.');
  const config_path = textOf(values['config']) ?? 'langgraph.json';
  const config = await readProjectConfig(folder, config_path);
  const target = await findTarget(values);
  const place = await placeIn(target, { values, signal });
  const env_file = envFileOf(config, join(folder, config_path));
  const source = {
    folder,
    name: textOf(values['name']) ?? deploymentNameOf(folder),
    config_path,
    secrets: await givenSecrets(env_file, { values, onProgress }),
    place,
    install_command: textOf(values['install-command']),
    build_command: textOf(values['build-command']),
  };
  return { target, sent: deploySource(target, source, { onProgress, signal }) };
}

async function beginWithGit({ values, signal, onProgress }: DeployCall): Promise<StartedDeploy> {
  const repo_url = textOf(values['git']) ?? '';
  const target = await findTarget(values);
  const place = await placeIn(target, { values, signal });
  const source = {
    name: textOf(values['name']) ?? deploymentNameOf(repo_url),
    repo_url,
    ref: textOf(values['ref']),
    integration_id: textOf(values['integration']),
    build_on_push: values['build-on-push'] === true,
    config_path: textOf(values['config']),
    secrets: await givenSecrets(undefined, { values, onProgress }),
    place,
    install_command: textOf(values['install-command']),
    build_command: textOf(values['build-command']),
  };
  return { target, sent: deployGit(target, source, { onProgress, signal }) };
}

async function beginWithTemplate({ values, signal, onProgress }: DeployCall): Promise<StartedDeploy> {
  const template_id = textOf(values['template']) ?? '';
  const target = await findTarget(values);
  const place = await placeIn(target, { values, signal });
  const source = {
    name: textOf(values['name']) ?? template_id,
    template_id,
    secrets: await givenSecrets(undefined, { values, onProgress }),
    place,
  };
  return { target, sent: deployTemplate(target, source, { onProgress, signal }) };
}

async function beginWithImage({ values, signal, onProgress }: DeployCall): Promise<StartedDeploy> {
  const image_uri = textOf(values['image']) ?? '';
  const target = await findTarget(values);
  const place = await placeIn(target, { values, signal });
  const source = {
    name: textOf(values['name']) ?? nameOfImage(image_uri),
    image_uri,
    secrets: await givenSecrets(undefined, { values, onProgress }),
    place,
    fields: await readImageFields({
      resources: textOf(values['resources']),
      secret_references: textsOf(values['secret-reference']),
    }),
  };
  const deployIt = values['push'] === true ? deployPushedImage : deployImage;
  return { target, sent: deployIt(target, source, { onProgress, signal }) };
}

const beginnings = {
  folder: beginWithFolder,
  git: beginWithGit,
  template: beginWithTemplate,
  image: beginWithImage,
};
