import type { Deployment } from '@roadstead/contracts/control-plane';
import { readByName } from '../deployments/deploy-source.ts';
import { waitForChange, sayOnItsWay } from '../deployments/wait-for-deployment.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget, type Target } from '../target/target.ts';
import { secretsOf, setSecrets, unsetSecrets, variableOf } from '../deployments/variables.ts';
import { type Command, type CommandCall, targetOptions, waitOptions } from '../command-line/command.ts';

export const env: Command = {
  name: 'env',
  operands: 'list NAME | set NAME KEY=VALUE… | unset NAME KEY…',
  summary:
    'The variables of a deployment. A change makes a revision; `roadstead secrets` sets the same ones without showing values to the shell.',
  options: { ...waitOptions, ...targetOptions },
  examples: [
    { call: 'env set support-agent LOG_LEVEL=debug REGION=eu', does: 'sets two, in one revision' },
    { call: 'env unset support-agent REGION', does: 'removes one' },
    { call: 'env list support-agent', does: 'shows the names; values are never shown' },
  ],
  completes: { NAME: 'deployments' },
  fields: { 'body.secrets': 'KEY=VALUE', 'path.name': 'KEY' },
  run: async ({ operands: [action = '', name = '', ...names], values, terminal }) => {
    const variables = action === 'set' ? names.map((one) => variableOf(one, 'KEY=VALUE')) : [];
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    if (action === 'list') return listVariables(deployment, { values, terminal });
    const given = secretsOf(Object.assign({}, ...variables) as Record<string, string>);
    const after =
      action === 'set'
        ? await setSecrets(target, { deployment, given })
        : await unsetSecrets(target, { deployment, names });
    return await afterChange(target, after, { values, terminal });
  },
};

export function listVariables(
  { name, secrets }: Deployment,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): number {
  if (values['json'] === true) terminal.out(safeJson(secrets));
  else if (secrets.length === 0) terminal.progress(`${name} has no variables of its own.`);
  else for (const one of secrets) terminal.out(one.name);
  return 0;
}

/** Before the deployment has a source there is nothing to wait for. */
export async function afterChange(
  target: Target,
  deployment: Deployment,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): Promise<number> {
  const { id: deployment_id, latest_revision_id: revision_id } = deployment;
  const latest =
    revision_id === null
      ? null
      : await target.control.readRevision({ params: { deployment_id, revision_id } });
  if (latest === null || latest.status_reason?.code === 'awaiting_source') {
    sayOnItsWay(deployment, { values, terminal });
    return 0;
  }
  return await waitForChange(target, { deployment, values, terminal });
}
