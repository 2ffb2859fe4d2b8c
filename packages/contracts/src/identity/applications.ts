import { endpoint } from '../endpoints/endpoint.ts';
import { page, form } from './consent.ts';

export const applications = {
  readApplicationsPage: endpoint({
    method: 'GET',
    path: '/oauth/applications',
    summary: 'The page of the applications that somebody has authorized',
    ...page,
  }),
  submitApplicationsPage: endpoint({
    method: 'POST',
    path: '/oauth/applications',
    summary: 'Sign in, sign out or revoke an application, as the page’s buttons do',
    ...form,
    example: { body: 'form_token=example&do=sign-out' },
  }),
};
