import { z } from 'zod';
import { requiredText, text } from '../input-rules.ts';
import { tool } from '../tool.ts';
import { findDeployment, findNumber, findRevision } from './deployment-lookup.ts';
import { fittedItem } from '../../paging/fitted-rules.ts';
import { brief, changesBetween, phasesOf, reasonOf, sourceOf } from './revision-shape-rules.ts';

const PREVIEW_CHARS = 4000;

export const getRevision = tool({
  name: 'get_revision',
  title: 'Read a revision',
  access: 'deployments:read',
  description:
    'Tells of one revision of a deployment, the latest unless said: how far it came and how long each phase took, why it failed with the last lines of its log, what started it, its source, and what it changed from the revision before. The names of secrets, never their values.',
  input: z.strictObject({
    deployment: requiredText('Name or id of the deployment.'),
    revision: text('Number or id of the revision.'),
  }),
  output: {
    revision: z.looseObject({
      id: z.string(),
      number: z.int(),
      status: z.string(),
      is_active: z.boolean(),
      status_reason: z.looseObject({ message: z.string() }).optional(),
      phases: z.array(z.looseObject({ phase: z.string() })),
      secret_names: z.array(z.string()),
      changes: z.looseObject({}).optional().describe('From the revision before.'),
    }),
  },
  run: async (given, context) => {
    const deployment = await findDeployment(given.deployment, context);
    const revision = await findRevision(deployment, given.revision, context);
    const reason = reasonOf(revision);
    const before = await findNumber(deployment.id, revision.number - 1, context);
    const item = {
      ...brief(revision),
      deployment: deployment.name,
      is_active: revision.id === deployment.active_revision_id,
      is_latest: revision.id === deployment.latest_revision_id,
      ...(reason === undefined ? {} : { status_reason: reason }),
      trigger: revision.trigger,
      phases: phasesOf(revision),
      source: sourceOf(revision),
      artifact: revision.artifact_digest ?? revision.artifact_image,
      ...(revision.rollback_of === null ? {} : { rollback_of: revision.rollback_of }),
      ...(revision.superseded_by === null ? {} : { superseded_by: revision.superseded_by }),
      secret_names: revision.secret_names,
      ...(before === undefined
        ? {}
        : { changes: { from_revision: before.number, ...changesBetween(before, revision) } }),
    };
    return { revision: fittedItem(item, PREVIEW_CHARS) };
  },
});
