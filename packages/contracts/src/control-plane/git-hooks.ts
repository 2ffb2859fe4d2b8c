import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The effects of a push, as the sender of a webhook may know them. */
export const PushReceipt = z
  .object({
    /** Whether the same delivery came before, so that this one had no effect. */
    repeated: z.boolean(),
    deployments: z.array(
      z.object({
        id: Uuid,
        name: WellFormedText,
        /**
         * `started` a revision; `known`: the ref was there before; `awaited`: a waiting revision will find it;
         * `replayed`: a commit of an earlier revision, to which the ref was not moved back; `gone`: the branch was
         * deleted.
         */
        outcome: z.enum(['started', 'known', 'awaited', 'replayed', 'gone']),
        revision_id: Uuid.nullable(),
      }),
    ),
  })
  .meta({ id: 'PushReceipt' });
export type PushReceipt = z.output<typeof PushReceipt>;

export const gitHooks = {
  receivePush: endpoint({
    method: 'POST',
    path: '/v2/hooks/git/{integration_id}',
    summary:
      'Receive a webhook of a git host, verified by its signature; a push builds what follows its branch',
    auth: 'public',
    params: z.object({ integration_id: Uuid }),
    raw: true,
    max_body_bytes: 5_242_880,
    errors: [401],
    success: { status: 202, body: PushReceipt, or: 204 },
    example: {
      body: {
        repo_url: 'https://git.example.com/acme/agent.git',
        ref: 'refs/heads/main',
        commit_sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
      },
    },
  }),
};
