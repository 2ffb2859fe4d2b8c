import { z } from 'zod';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { requiredText, text } from '../input-rules.ts';
import { tool, type ToolContext } from '../tool.ts';
import {
  findDeployment,
  findNumber,
  findRevision,
  listRevisions,
  readRevision,
} from './deployment-lookup.ts';
import { fittedItem } from '../../paging/fitted-rules.ts';
import { activity } from './revision-activity-rules.ts';
import { brief, changesBetween, reasonOf, sourceOf } from './revision-shape-rules.ts';
import { readTraces } from './revision-traces.ts';

const PREVIEW_CHARS = 1000;
const DEPLOYED = 100;

const Side = z.looseObject({
  id: z.string(),
  number: z.int(),
  traces: z.looseObject({ run_count: z.int(), errors: z.array(z.looseObject({})) }).optional(),
});

export const compareRevisions = tool({
  name: 'compare_revisions',
  title: 'Compare revisions',
  access: 'deployments:read',
  description:
    'Says what a deploy changed and what came of it: source, configuration, names of secrets, resources and artifact of two revisions, and of the traces of each how many runs, error rate, latency, tokens, cost and the newest errors; where no trace failed, those of its steps (step_errors). The active revision and the one that was active before it unless said. trace_id of an error goes into get_trace_tree.',
  input: z.strictObject({
    deployment: requiredText('Name or id of the deployment.'),
    revision: text('Number or id of the later revision; the active one unless given.'),
    before: text('Number or id of the earlier one; unless given the one that was active before.'),
  }),
  output: {
    changes: z.looseObject({
      changed: z.looseObject({}),
      secrets: z.looseObject({}).optional(),
    }),
    before: Side,
    after: Side,
    note: z.string().optional(),
  },
  run: async (given, context) => {
    const deployment = await findDeployment(given.deployment, context);
    const after = await findRevision(
      deployment,
      given.revision ?? deployment.active_revision_id ?? undefined,
      context,
    );
    const deployed = await listRevisions(deployment.id, { limit: DEPLOYED, status: ['DEPLOYED'] }, context);
    const before =
      given.before === undefined
        ? await beforeOf(after, deployed, context)
        : await findRevision(deployment, given.before, context);
    const sides = { before, after };
    const traces = await tracesOf(deployment, { ...sides, deployed }, context);
    const newer = await newerFailure(deployment, after, context);
    const sideOf = (revision: Revision, side: 'before' | 'after') => {
      const reason = reasonOf(revision);
      return {
        ...brief(revision),
        source: sourceOf(revision),
        ...(reason === undefined ? {} : { status_reason: { ...reason, log_tail: undefined } }),
        ...activity(revision, deployed),
        ...(traces[side] === undefined ? {} : { traces: traces[side] }),
      };
    };
    const notes = [traces.note, newer].filter((note) => note !== undefined);
    return fittedItem(
      {
        deployment: deployment.name,
        changes: changesBetween(before, after),
        before: sideOf(before, 'before'),
        after: sideOf(after, 'after'),
        ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
      },
      PREVIEW_CHARS,
    ) as Readonly<Record<string, unknown>>;
  },
});

/** The revision that was active before; where there was none, the one with the previous number. */
async function beforeOf(
  { deployment_id, number }: Revision,
  deployed: readonly Revision[],
  context: ToolContext,
): Promise<Revision> {
  const found =
    deployed.find((one) => one.number < number) ?? (await findNumber(deployment_id, number - 1, context));
  if (found !== undefined) return found;
  throw new Problem(
    'not_found',
    'This is the first revision of the deployment, so there is none to compare it with.',
    {
      hint: 'Call get_revision to read it.',
    },
  );
}

interface Sides {
  readonly before: Revision;
  readonly after: Revision;
  readonly deployed: readonly Revision[];
}

interface TracesOfBoth {
  readonly before?: object;
  readonly after?: object;
  readonly note?: string;
}

async function tracesOf(
  { tracer_session_id: project_id }: Deployment,
  { before, after, deployed }: Sides,
  context: ToolContext,
): Promise<TracesOfBoth> {
  if (project_id === null) return { note: 'The deployment has no tracing project yet.' };
  try {
    const of = (revision: Revision) =>
      readTraces({ project_id, revision_id: revision.id, ...activity(revision, deployed) }, context);
    const [one, other] = await Promise.all([of(before), of(after)]);
    return { before: one, after: other };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403)
      return { note: 'The key lacks traces:read, so what the traces say is left out.' };
    if (error instanceof ApiError && error.status === 404)
      return { note: 'The tracing project of the deployment is gone, so its traces say nothing.' };
    throw error;
  }
}

/**
 * A deploy that failed changed nothing of what is served, which surprises a user who asks about "the last deploy".
 */
async function newerFailure(
  { id, latest_revision_id }: Deployment,
  after: Revision,
  context: ToolContext,
): Promise<string | undefined> {
  if (latest_revision_id === null || latest_revision_id === after.id) return undefined;
  const latest = await readRevision({ deployment_id: id, revision_id: latest_revision_id }, context);
  if (latest === undefined || latest.number < after.number) return undefined;
  return `Revision ${latest.number} is newer: ${latest.status}. get_revision says why it is not active.`;
}
