import { z } from 'zod';
import { Scope } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { PageQuery, pageOf } from './page.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const Grant = z
  .object({
    id: Uuid,
    workspace_id: Uuid,
    /** The one who consented: `key:{id}` of an API key, or `user:{id}`. */
    subject: WellFormedText,
    client_id: WellFormedText,
    client_name: WellFormedText.nullable(),
    scopes: z.array(Scope),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp,
  })
  .meta({ id: 'Grant' });
export type Grant = z.output<typeof Grant>;

export const grants = {
  listGrants: endpoint({
    method: 'GET',
    path: '/v2/grants',
    summary: 'The applications that people authorized in the workspace',
    access: 'keys:admin',
    query: PageQuery.extend({ subject: WellFormedText.max(100).optional() }),
    success: {
      status: 200,
      body: pageOf(Grant),
    },
    example: { query: { page_size: '50' } },
  }),
  deleteGrant: endpoint({
    method: 'DELETE',
    path: '/v2/grants/{grant_id}',
    summary: 'Revoke what an application was given; its tokens are dead within 30 s everywhere',
    access: 'keys:admin',
    params: z.object({ grant_id: Uuid }),
    success: { status: 204 },
  }),
};
