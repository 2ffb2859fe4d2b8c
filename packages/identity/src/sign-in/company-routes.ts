import { COMPANY_CALLBACK, type company as contract } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { recordSignIn } from '../records/user-store.ts';
import { goTo, orErrorPage } from './answers.ts';
import { type CompanyOptions, createCompanyClient } from './company-client.ts';
import { returnAddress } from './company-rules.ts';
import { signInFromCompany } from './company-work.ts';
import type { Visitors } from './visitor.ts';

export interface CompanyRoutesOptions {
  readonly db: Database;
  readonly visitors: Visitors;
  readonly company?: CompanyOptions | undefined;
  readonly default_workspace: { readonly id: string };
  /** An edge of the same process learns at once what somebody may do no more. */
  readonly forgetTokens: () => void;
}

export function companyHandlers(options: CompanyRoutesOptions): Handlers<typeof contract> {
  const { db, visitors, company, default_workspace, forgetTokens } = options;
  const { cookies, public_url } = visitors;
  const client =
    company && createCompanyClient(company, { redirect_uri: public_url + COMPANY_CALLBACK, now: Date.now });
  const open = () => {
    if (company === undefined || client === undefined)
      throw new Problem('not_found', 'No company’s sign-in is set up here.');
    return { company, client };
  };
  return {
    beginCompanySignIn: async ({ query }) =>
      orErrorPage(async () => {
        const { address, state, ...attempt } = await open().client.begin();
        const return_to = returnAddress(query.return_to);
        return goTo(address, [cookies.attempt(state, { ...attempt, return_to })]);
      }),
    endCompanySignIn: async ({ request }) =>
      orErrorPage(async () => {
        const opened = open();
        const { headers, url } = request;
        const returned = new URL(url).searchParams;
        const state = returned.get('state') ?? '';
        const attempt = cookies.attemptOf(headers, state);
        // Who follows a link that somebody else made would be signed in as that other person.
        if (attempt === undefined)
          throw new Problem('invalid', 'This sign-in has ended, or was begun in another browser.', {
            hint: 'Go back to where you wanted to sign in, and start again.',
          });
        const claims = await opened.client.end(returned, { ...attempt, state });
        const workspace_id = default_workspace.id;
        const subject = await signInFromCompany(db, {
          company: opened.company,
          claims,
          workspace_id,
        }).finally(forgetTokens);
        await recordSignIn(db, [subject.id.slice('user:'.length)]);
        const begun = await visitors.begin([subject], headers);
        return goTo(attempt.return_to, [...begun.cookies, cookies.attemptEnded(state)]);
      }),
  };
}
