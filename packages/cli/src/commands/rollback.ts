import { Problem } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { waitForChange } from '../deployments/wait-for-deployment.ts';
import { chooseRollback } from '../deployments/rollback-rules.ts';
import { findTarget } from '../target/target.ts';
import { type Command, targetOptions, textOf, waitOptions } from '../command-line/command.ts';
import { newestRevisions } from './revisions.ts';

/** The number of revisions to search for the one to return to. */
const LOOKED_AT = 1000;

export const rollback: Command = {
  name: 'rollback',
  operands: 'NAME',
  summary: 'Go back to an earlier revision: its artifact, configuration and environment, without a build.',
  options: {
    to: {
      type: 'string',
      value: 'REVISION',
      doc: 'number or id of the revision (the one that served before)',
    },
    force: {
      type: 'boolean',
      doc: 'also where its LangGraph reads the threads of newer revisions as empty',
    },
    ...waitOptions,
    ...targetOptions,
  },
  examples: [
    { call: 'rollback support-agent', does: 'to what served before' },
    { call: 'rollback support-agent --to 3', does: 'to revision 3; `roadstead revisions` lists them' },
  ],
  completes: { NAME: 'deployments' },
  fields: { 'path.revision_id': '--to', 'query.force': '--force' },
  run: async ({ operands: [name = ''], values, terminal }) => {
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    const found = await newestRevisions(target, { deployment, limit: LOOKED_AT });
    const chosen = chooseRollback(found, {
      active_revision_id: deployment.active_revision_id,
      to: textOf(values['to']),
    });
    if (typeof chosen === 'string') throw new Problem('invalid', `${name}: ${chosen}`);
    terminal.progress(`  back to revision ${chosen.number}`);
    const params = { deployment_id: deployment.id, revision_id: chosen.id };
    const query = values['force'] === true ? { force: 'true' as const } : {};
    const after = await target.control.redeployRevision({ params, query });
    return await waitForChange(target, { deployment: after, values, terminal });
  },
};
