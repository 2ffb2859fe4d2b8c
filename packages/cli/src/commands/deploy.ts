import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Problem } from '@roadstead/kit';
import { deploySource, explainFailure, followRevision } from '../client/deploy-source.ts';
import { findTarget } from '../client/target.ts';
import { type Command, type CommandCall, targetOptions, textOf } from './command.ts';

export const deploy: Command = {
  name: 'deploy',
  operands: 'DIR',
  summary: 'Pack a folder, deploy it, and follow its build to the end.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the deployment (the folder’s name)' },
    config: { type: 'string', value: 'PATH', doc: 'graph configuration file (langgraph.json)' },
    secret: { type: 'string', multiple: true, value: 'K=V', doc: 'environment variable; may be repeated' },
    'env-file': { type: 'string', value: 'FILE', doc: 'file of environment variables, K=V a line' },
    'install-command': { type: 'string', value: 'CMD', doc: 'instead of the detected one' },
    'build-command': { type: 'string', value: 'CMD', doc: 'run after the install' },
    'no-wait': { type: 'boolean', doc: 'do not wait for the end' },
    ...targetOptions,
  },
  run: async ({ operands, values, terminal }) => {
    const folder = resolve(operands[0] ?? '.');
    if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
      throw new Problem('invalid', `${folder} is not a folder.`);
    const target = await findTarget(values);
    const deployment = await deploySource(
      target,
      {
        folder,
        name: textOf(values['name']) ?? nameOf(folder),
        config_path: textOf(values['config']) ?? 'langgraph.json',
        secrets: await secretsOf(values),
        install_command: textOf(values['install-command']),
        build_command: textOf(values['build-command']),
      },
      (line) => terminal.err(`  ${line}`),
    );
    if (values['no-wait'] === true) {
      terminal.out(
        values['json'] === true
          ? JSON.stringify(deployment)
          : `${deployment.name}: revision ${deployment.latest_revision_id ?? ''} is on its way`,
      );
      return 0;
    }
    const revision = await followRevision(target, deployment, { terminal, logs: values['json'] !== true });
    const after = await target.control.readDeployment({ params: { deployment_id: deployment.id } });
    if (values['json'] === true) terminal.out(JSON.stringify({ deployment: after, revision }));
    if (revision.status !== 'DEPLOYED') {
      for (const line of explainFailure(revision)) terminal.err(line);
      return 1;
    }
    if (values['json'] !== true) terminal.out(`${terminal.bold(after.name)} serves at ${after.url ?? ''}`);
    return 0;
  },
};

function nameOf(folder: string): string {
  return basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);
}

async function secretsOf(values: CommandCall['values']): Promise<{ name: string; value: string }[]> {
  const file = textOf(values['env-file']);
  const lines =
    file === undefined
      ? []
      : (await readFile(file, 'utf8'))
          .split('\n')
          .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const given = Array.isArray(values['secret']) ? (values['secret'] as string[]) : [];
  return [...lines, ...given].map((line) => {
    const at = line.indexOf('=');
    if (at < 1) throw new Problem('invalid', 'A secret must look like NAME=VALUE.');
    return { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
  });
}
