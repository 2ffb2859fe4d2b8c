import { z } from 'zod';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { text, whole } from '../input-rules.ts';
import { readSome } from '../list-answers.ts';
import { tool, type ToolContext } from '../tool.ts';
import { listDeployments as list, listRevisions, readRevision } from './deployment-lookup.ts';
import { fittedItems } from '../../paging/fitted-rules.ts';
import { brief, reasonOf } from './revision-shape-rules.ts';

const AT_ONCE = 8;
const RECENT = 20;
const PREVIEW_CHARS = 300;

const Brief = z.looseObject({ number: z.int(), status: z.string() });

export const listDeployments = tool({
  name: 'list_deployments',
  title: 'List deployments',
  access: 'deployments:read',
  description:
    'Lists deployed agents, newest first: status, address, active and latest revision, and why the last revision that failed did. get_revision tells more of one, compare_revisions what a new one changed, get_deployment_logs what was logged. tracing_project_id goes into fetch_runs as project_name.',
  input: z.strictObject({
    name_contains: text('Only deployments with this in their name.'),
    limit: whole({ min: 1, fallback: 20, doc: 'Most deployments, up to 100.' }),
    offset: whole({ min: 0, fallback: 0, doc: 'How many to pass over.' }),
  }),
  output: {
    deployments: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        status: z.string(),
        url: z.string().optional(),
        tracing_project_id: z.string().optional(),
        active_revision: Brief.optional(),
        latest_revision: Brief.optional(),
        last_failure: z.looseObject({ message: z.string() }).optional(),
      }),
    ),
    next_offset: z.int().optional().describe('There are more from here.'),
  },
  run: async ({ name_contains, limit, offset }, context) => {
    const found = await readSome(
      (page) => list({ ...page, ...(name_contains === undefined ? {} : { name_contains }) }, context),
      { limit, offset },
    );
    const items: object[] = [];
    for (let at = 0; at < found.items.length; at += AT_ONCE)
      items.push(
        ...(await Promise.all(found.items.slice(at, at + AT_ONCE).map((one) => lineOf(one, context)))),
      );
    const deployments = fittedItems(items, PREVIEW_CHARS);
    const has_more = found.has_more || deployments.length < items.length;
    return { deployments, ...(has_more ? { next_offset: offset + deployments.length } : {}) };
  },
});

async function lineOf(deployment: Deployment, context: ToolContext) {
  const { id, name, status, url, tracer_session_id, active_revision_id, latest_revision_id } = deployment;
  const recent = await listRevisions(id, { limit: RECENT }, context);
  const byId = async (revision_id: string | null) =>
    revision_id === null
      ? undefined
      : (recent.find((one) => one.id === revision_id) ??
        (await readRevision({ deployment_id: id, revision_id }, context)));
  const active = await byId(active_revision_id);
  const latest = await byId(latest_revision_id);
  const failed = recent.find((one) => one.status.endsWith('_FAILED'));
  const failure = failed && reasonOf(failed);
  return {
    id,
    name,
    status,
    ...(url === null ? {} : { url }),
    ...(tracer_session_id === null ? {} : { tracing_project_id: tracer_session_id }),
    ...(active === undefined ? {} : { active_revision: brief(active) }),
    ...(latest === undefined ? {} : { latest_revision: brief(latest) }),
    ...(failure === undefined ? {} : { last_failure: { ...failure, log_tail: undefined } }),
  };
}
