import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { Uuid } from '../values/query-values.ts';
import { RepairedText } from '../values/repaired-text.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The requests and reports of a listener that fetches git sources. */

const params = z.object({ listener_id: Uuid, deployment_id: Uuid });

/** The credentials for a private repository. A listener keeps them in memory, and in files only while git runs. */
export const SourceCredentials = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('token'), username: WellFormedText, token: WellFormedText }),
    z.object({
      kind: z.literal('ssh_key'),
      private_key: WellFormedText,
      /** Lines of a `known_hosts` file; null: any host key is accepted. */
      known_hosts: WellFormedText.nullable(),
    }),
  ])
  .meta({ id: 'SourceCredentials' });
export type SourceCredentials = z.output<typeof SourceCredentials>;

/** The commit that a watched ref points to, or the reason why it is unknown. */
const WatchedHead = z
  .object({
    fence: z.number().int(),
    ref: WellFormedText,
    /** Null without a problem: the ref is gone. */
    commit_sha: WellFormedText.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/).nullable(),
    problem: z.object({ code: RepairedText, message: RepairedText }).nullable(),
  })
  .meta({ id: 'WatchedHead' });
export type WatchedHead = z.output<typeof WatchedHead>;

export const listenerGit = {
  readSourceCredentials: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/source-credentials',
    summary:
      'By what the repository or the images of a deployment are read, in clear; for the holder of the lease, kept in memory only',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params,
    /** A watched ref belongs to no revision. */
    query: z.object({ revision_id: Uuid.optional(), fence: z.coerce.number().int() }),
    success: { status: 200, body: z.object({ credentials: SourceCredentials.nullable() }) },
    example: { query: { revision_id: '0199d3a0-0000-7000-8000-000000000001', fence: '2' } },
  }),
  reportHead: endpoint({
    method: 'PUT',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/head',
    summary: 'Report where a watched ref points; a stale fence is 409',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params,
    body: WatchedHead,
    success: { status: 204 },
    example: { body: { fence: 2, ref: 'main', commit_sha: '4f'.repeat(20), problem: null } },
  }),
};
