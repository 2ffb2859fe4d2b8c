import { Problem } from '@roadstead/kit';
import { waitForChange, sayOnItsWay } from '../deployments/wait-for-deployment.ts';
import { findTarget, type Target } from '../target/target.ts';
import { type Command, targetOptions, waitOptions } from '../command-line/command.ts';

export const restore: Command = {
  name: 'restore',
  operands: 'NAME',
  summary: 'Take a deployment out of the bin; what served serves again, without a build.',
  options: { ...waitOptions, ...targetOptions },
  examples: [{ call: 'restore support-agent', does: 'while it rests in the bin' }],
  run: async ({ operands: [name = ''], values, terminal }) => {
    const target = await findTarget(values);
    const params = { deployment_id: await deletedId(target, name) };
    const deployment = await target.control.restoreDeployment({ params });
    if (deployment.latest_revision_id === null) {
      sayOnItsWay(deployment, { values, terminal });
      return 0;
    }
    return await waitForChange(target, { deployment, values, terminal });
  },
};

/** The id of the most recently deleted deployment with this name. */
async function deletedId({ control }: Target, name: string): Promise<string> {
  const { resources } = await control.listDeployments({ query: { name, status: 'deleted', limit: 100 } });
  const newest = resources.toSorted(
    (one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at),
  );
  const [found] = newest;
  if (found === undefined) throw new Problem('not_found', `There is no deployment ${name} in the bin.`);
  return found.id;
}
