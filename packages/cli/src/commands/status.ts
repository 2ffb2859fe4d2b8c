import { type Deployment, type Event, type Revision } from '@roadstead/contracts/control-plane';
import { readByName } from '../deployments/deploy-source.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget, type Target } from '../target/target.ts';
import { statusLines } from '../deployments/status-rules.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

const EVENTS = 5;

export const status: Command = {
  name: 'status',
  operands: 'NAME',
  summary: 'Show how a deployment is: what serves, what becomes of its latest revision, what happened last.',
  options: targetOptions,
  examples: [{ call: 'status support-agent', does: 'and why its latest revision failed, if it did' }],
  completes: { NAME: 'deployments' },
  run: async ({ operands: [name = ''], values, terminal }) => {
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    const report = await reportOf(target, deployment);
    if (values['json'] === true) terminal.out(safeJson(report));
    else for (const line of statusLines(report, { terminal, now: Date.now() })) terminal.out(line);
    return 0;
  },
};

async function reportOf(target: Target, deployment: Deployment) {
  const { id: deployment_id, active_revision_id: active, latest_revision_id: latest } = deployment;
  const revisionOf = async (revision_id: string | null): Promise<Revision | null> =>
    revision_id === null
      ? null
      : await target.control.readRevision({ params: { deployment_id, revision_id } });
  const eventsOf = async (): Promise<Event[]> =>
    (await target.control.listEvents({ query: { deployment_id, page_size: EVENTS } })).items;
  const [latest_revision, active_revision, events] = await Promise.all([
    revisionOf(latest),
    revisionOf(active),
    eventsOf(),
  ]);
  return { deployment, active_revision, latest_revision, events };
}
