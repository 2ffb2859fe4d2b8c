import { documentOf, html, pageHeaders } from '@roadstead/pages';

/** The page for a person who comes back from a provider. */

export interface FlowPageContent {
  readonly action: string;
  readonly provider_name: string;
  /** The deployment or the agent; undefined where a program asks for itself. */
  readonly agent: string | undefined;
  readonly user_id: string;
  readonly scopes: readonly string[];
  /** The provider’s parameters, to be sent back with the answer. */
  readonly returned: Readonly<Record<string, string | undefined>>;
}

/** Nothing is connected yet: a person who was lured here by somebody else reads for whom it would be. */
export function askingPage(page: FlowPageContent): string {
  const { provider_name, agent, user_id } = page;
  const hidden = Object.entries(page.returned).map(([name, value]) =>
    value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return documentOf({
    title: `Connect ${provider_name}`,
    body: html`
      <h1>Connect ${provider_name}?</h1>
      <p>
        ${agent === undefined ? 'A program' : html`The agent <strong>${agent}</strong>`} will act at
        ${provider_name} with the account that you just signed in with, whenever it works for this user:
      </p>
      <dl>
        <dt>User</dt>
        <dd>${user_id}</dd>
        ${agent !== undefined && html`<dt>Agent</dt>`} ${agent !== undefined && html`<dd>${agent}</dd>`}
        ${page.scopes.length > 0 && html`<dt>Scopes</dt>`}
        ${page.scopes.length > 0 && html`<dd>${page.scopes.join(', ')}</dd>`}
      </dl>
      <p>
        Connect only if this user is you and you asked for it yourself. If somebody sent you a link that led
        here, cancel.
      </p>
      <form method="post" action="${page.action}">
        ${hidden}
        <div class="actions">
          <button name="do" value="connect">Connect</button>
          <button class="second" name="do" value="cancel">Cancel</button>
        </div>
      </form>
    `,
  });
}

export interface Note {
  readonly title: string;
  readonly sentences: readonly string[];
}

export const notePage = ({ title, sentences }: Note): string =>
  documentOf({
    title,
    body: html`<h1>${title}</h1>
      ${sentences.map((text) => html`<p>${text}</p>`)}`,
  });

export function pageAnswer(document: string, status = 200): Response {
  return new Response(document, { status, headers: pageHeaders() });
}
