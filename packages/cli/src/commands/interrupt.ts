import { isTerminal } from '@roadstead/contracts';
import { revisionFlow } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget } from '../target/target.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

export const interrupt: Command = {
  name: 'interrupt',
  operands: 'NAME',
  summary: 'Interrupt the build or start of the latest revision; the revision that serves keeps serving.',
  options: targetOptions,
  examples: [{ call: 'interrupt support-agent', does: 'ends what is under way' }],
  completes: { NAME: 'deployments' },
  run: async ({ operands: [name = ''], values, terminal }) => {
    const { control, ...target } = await findTarget(values);
    const deployment = await readByName({ control, ...target }, name);
    const { id: deployment_id, latest_revision_id: revision_id } = deployment;
    if (revision_id === null) throw new Problem('invalid', `${name} has no revision yet.`);
    const params = { deployment_id, revision_id };
    const { status, number } = await control.readRevision({ params });
    if (isTerminal(revisionFlow, status))
      throw new Problem('conflict', `Revision ${number} of ${name} has ended already: ${status}.`);
    const revision = await control.interruptRevision({ params });
    terminal.out(
      values['json'] === true ? safeJson(revision) : `Revision ${number} of ${name} is ${revision.status}.`,
    );
    return 0;
  },
};
