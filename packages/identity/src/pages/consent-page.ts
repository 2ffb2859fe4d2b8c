import type { OAuthScope } from '@roadstead/contracts/identity';
import type { AskingClient } from './oauth-ports.ts';
import { clientNameOf, destinationOf, vouchedBy } from './client-rules.ts';
import type { Offer } from './consent-rules.ts';
import type { NamedWorkspace } from '../records/workspace-store.ts';
import { documentOf, fault, type Html, html } from '@roadstead/pages';
import { scopeSentences } from './scope-sentences.ts';

interface RequestPage {
  readonly action: string;
  readonly form_token: string;
  readonly client: AskingClient;
  /** The name under which the person is signed in. */
  readonly signed_in_as: string;
  readonly fault?: string | undefined;
}

export interface ConsentPage extends RequestPage {
  readonly workspace: NamedWorkspace;
  /** Whether the person has no other workspace to choose. */
  readonly is_only_workspace: boolean;
  readonly offer: Offer;
}

export function consentPage(page: ConsentPage): string {
  const { client, offer, workspace } = page;
  const name = clientNameOf(client);
  const [destination, canAllow] = [destinationOf(client), offer.reads.length + offer.writes.length > 0];
  return documentOf({
    title: `Authorize ${name}?`,
    body: html`
      <h1>Authorize ${name} to use Roadstead?</h1>
      <p class="quiet">${vouchedBy(client)}</p>
      ${fault(page.fault)}
      <dl>
        <dt>Workspace</dt>
        <dd>
          ${workspace.name}${!page.is_only_workspace && html` · <a href="${page.action}">another one</a>`}
        </dd>
        ${
          destination !== undefined &&
          html`<dt>Leads to</dt>
            <dd>${destination}</dd>`
        }
      </dl>
      <form method="post" action="${page.action}">
        <input type="hidden" name="form_token" value="${page.form_token}" />
        <input type="hidden" name="workspace" value="${workspace.id}" />
        ${choices('It may', offer.reads, true)} ${choices('Tick what else it may do', offer.writes, false)}
        ${beyond(offer.beyond)}
        ${!canAllow && html`<p>You have no rights here that you could give to it.</p>`}
        <div class="actions">
          ${canAllow && html`<button name="do" value="allow">Authorize</button>`}
          <button class="second" name="do" value="deny">Deny</button>
        </div>
      </form>
      <hr />
      ${signOut(page)}
      <p class="quiet">
        You can take this back at any time on the page of
        <a href="/oauth/applications">authorized applications</a>.
      </p>
    `,
  });
}

function choices(legend: string, scopes: readonly OAuthScope[], is_ticked: boolean): Html | false {
  return (
    scopes.length > 0 &&
    html`<fieldset>
      <legend>${legend}</legend>
      ${scopes.map(
        (scope) =>
          html`<label class="choice"
            ><input type="checkbox" name="scope" value="${scope}" ${is_ticked && html` checked`} /><span
              >${scopeSentences[scope].what} <small>${scopeSentences[scope].means}</small></span
            ></label
          >`,
      )}
    </fieldset>`
  );
}

const beyond = (scopes: readonly OAuthScope[]) =>
  scopes.length > 0 &&
  html`<p class="quiet">
    It asked for more than you may do yourself:
    ${scopes.map((scope) => scopeSentences[scope].what.toLowerCase()).join(', ')}.
  </p>`;

export const signOut = ({
  action,
  form_token,
  signed_in_as,
}: Pick<RequestPage, 'action' | 'form_token' | 'signed_in_as'>): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="form_token" value="${form_token}" />
    <p class="quiet">
      You are signed in as <strong>${signed_in_as}</strong>.
      <button class="link" name="do" value="sign-out">Sign in as somebody else</button>
    </p>
  </form>`;

export interface WorkspacePage extends RequestPage {
  readonly workspaces: readonly NamedWorkspace[];
}

/** The choice for a person who reaches several workspaces: what can be authorized depends on it. */
export function workspacePage(page: WorkspacePage): string {
  const name = clientNameOf(page.client);
  return documentOf({
    title: 'Choose a workspace',
    body: html`
      <h1>Which workspace is it about?</h1>
      <p><strong>${name}</strong> sees one workspace and no other.</p>
      ${fault(page.fault)}
      <form method="get" action="${page.action}">
        <fieldset>
          <legend>Workspace</legend>
          ${page.workspaces.map(
            ({ id, name: workspace }, at) =>
              html`<label class="choice"
                ><input
                  type="radio"
                  name="workspace"
                  value="${id}"
                  ${at === 0 && html` checked`}
                  required
                /><span>${workspace}</span></label
              >`,
          )}
        </fieldset>
        <div class="actions"><button>Continue</button></div>
      </form>
      <hr />
      ${signOut(page)}
    `,
  });
}
