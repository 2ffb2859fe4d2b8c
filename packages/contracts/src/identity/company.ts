import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { page } from './consent.ts';

/** Sign-in by the OpenID provider of a company. */

/** Where the provider leads browsers back. */
export const COMPANY_CALLBACK = '/oauth/company/callback';

export const company = {
  beginCompanySignIn: endpoint({
    method: 'GET',
    path: '/oauth/company',
    summary: 'Sign in at the company’s OpenID provider; leads there, and back to a page of ours',
    ...page,
    errors: [404],
    query: z.object({ return_to: WellFormedText.max(200).optional() }),
    success: { status: 303 },
    example: { query: { return_to: '/oauth/applications' } },
  }),
  endCompanySignIn: endpoint({
    method: 'GET',
    path: COMPANY_CALLBACK,
    summary: 'Return from the company’s OpenID provider, signed in',
    ...page,
    errors: [400, 401, 403, 404],
    success: { status: 303 },
  }),
};
