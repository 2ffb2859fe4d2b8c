import type { Grant } from '@roadstead/contracts/identity';
import { clientNameOf } from './client-rules.ts';
import { signOut } from './consent-page.ts';
import { documentOf, fault, html } from '@roadstead/pages';
import { scopeSentences } from './scope-sentences.ts';

export interface ApplicationsPage {
  readonly action: string;
  readonly form_token: string;
  readonly signed_in_as: string;
  readonly grants: readonly (Grant & { readonly workspace_name: string })[];
  readonly fault?: string | undefined;
}

/** The applications that a person has authorized. */
export function applicationsPage(page: ApplicationsPage): string {
  return documentOf({
    title: 'Authorized applications',
    body: html`
      <h1>Authorized applications</h1>
      ${fault(page.fault)}
      ${page.grants.length === 0 ? html`<p>You have authorized no application.</p>` : list(page)}
      <hr />
      ${signOut(page)}
    `,
  });
}

const list = ({ grants, action, form_token }: ApplicationsPage) =>
  html`<ul class="plain">
    ${grants.map(
      (grant) =>
        html`<li>
          <strong>${clientNameOf({ name: grant.client_name })}</strong>
          <p class="quiet">
            in ${grant.workspace_name}, since ${day(grant.created_at)},
            ${grant.last_used_at === null ? 'not used yet' : `last used on ${day(grant.last_used_at)}`}
          </p>
          <p>${whatOf(grant.scopes)}</p>
          <form method="post" action="${action}">
            <input type="hidden" name="form_token" value="${form_token}" />
            <input type="hidden" name="grant" value="${grant.id}" />
            <button
              class="second"
              name="do"
              value="revoke"
              aria-label="Revoke ${clientNameOf({ name: grant.client_name })}"
            >
              Revoke
            </button>
          </form>
        </li>`,
    )}
  </ul>`;

const day = (time: string) => time.slice(0, 10);

const whatOf = (scopes: readonly string[]) =>
  scopes.map((scope) => scopeSentences[scope as keyof typeof scopeSentences]?.what ?? scope).join(' · ');
