import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../../values/query-values.ts';
import { v1 } from '../mounts.ts';

const text = z.string().nullable();

export const sharedLinks = {
  listSharedLinks: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/shared',
    summary: 'List what the workspace shares by link, newest first',
    access: 'traces:read',
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 50 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: {
      status: 200,
      body: z.object({
        entities: z.array(
          z.object({
            type: z.enum(['run', 'dataset', 'thread']),
            share_token: z.string(),
            created_at: z.string(),
            run_id: z.string().optional(),
            run_name: text.optional(),
            run_type: text.optional(),
            session_id: text.optional(),
            session_name: text.optional(),
            dataset_id: z.string().optional(),
            dataset_name: text.optional(),
            thread_id: z.string().optional(),
          }),
        ),
      }),
    },
    example: { query: { limit: '50' } },
  }),
  deleteSharedLinks: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/workspaces/current/shared',
    summary: 'Stop sharing several things of the workspace, or all of them',
    access: 'traces:admin',
    body: z.object({
      share_tokens: z.array(Uuid).max(1000).nullish(),
      unshare_all: z.boolean().default(false),
    }),
    success: { status: 200, body: z.object({ message: z.string(), removed: z.number() }) },
    example: { body: { share_tokens: ['0199d3a0-0000-4000-8000-000000000009'] } },
  }),
};
