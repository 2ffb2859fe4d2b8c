import { isTerminal } from '@roadstead/contracts';
import { type Deployment, revisionFlow } from '@roadstead/contracts/control-plane';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { findTarget, type Target } from '../target/target.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

export const list: Command = {
  name: 'list',
  operands: '',
  summary: 'List the deployments of the workspace, and what fails.',
  options: targetOptions,
  examples: [
    { call: 'list', does: 'shows the deployments of the workspace' },
    { call: 'list --json', does: 'as the API has them' },
  ],
  run: async ({ values, terminal }) => {
    const target = await findTarget(values);
    const all: Deployment[] = [];
    for (;;) {
      const page = await target.control.listDeployments({ query: { limit: 100, offset: all.length } });
      all.push(...page.resources);
      if (page.resources.length < 100) break;
    }
    if (values['json'] === true) terminal.out(safeJson(all));
    else if (all.length === 0) terminal.out('There are no deployments; `roadstead deploy DIR` makes one.');
    else {
      const rows: string[][] = [];
      for (const one of all) rows.push([one.name, one.status, one.url ?? '', await latestOf(target, one)]);
      for (const line of table(rows)) terminal.out(line);
    }
    return 0;
  },
};

/** The progress of the latest revision, where it is not the one that serves. */
async function latestOf({ control }: Target, deployment: Deployment): Promise<string> {
  const { id: deployment_id, latest_revision_id: revision_id, active_revision_id } = deployment;
  if (revision_id === null || revision_id === active_revision_id) return '';
  const { status, status_reason } = await control.readRevision({ params: { deployment_id, revision_id } });
  const why = isTerminal(revisionFlow, status) && status_reason !== null ? `: ${status_reason.message}` : '';
  return `latest is ${status}${why.split('\n')[0] ?? ''}`;
}
