import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The pages on which people sign in, authorize applications and revoke grants. */

export const page = {
  auth: 'public',
  dialect: 'oauth',
  success: { status: 200, media_types: ['text/html'] },
} as const;
export const form = {
  auth: 'public',
  dialect: 'oauth',
  raw: true,
  media_type: 'application/x-www-form-urlencoded',
  max_body_bytes: 16_384,
  errors: [401, 403],
  success: { status: 303 },
} as const;
const params = z.object({ interaction_id: WellFormedText.max(100) });

export const consent = {
  readConsentPage: endpoint({
    method: 'GET',
    path: '/oauth/interaction/{interaction_id}',
    summary: 'The page on which somebody signs in and consents to an application',
    ...page,
    success: { ...page.success, or: 303 },
    params,
    query: z.object({ workspace: WellFormedText.max(100).optional() }),
    example: { query: { workspace: '0199d3a0-0000-7000-8000-000000000001' } },
  }),
  submitConsentPage: endpoint({
    method: 'POST',
    path: '/oauth/interaction/{interaction_id}',
    summary: 'Sign in, sign out, allow or deny, as the page’s buttons do',
    ...form,
    params,
    example: { body: 'form_token=example&do=deny' },
  }),
};
