import { documentOf, html } from '@roadstead/pages';

/** Advice on errors of OAuth, by their code. */
const advice: Readonly<Record<string, string>> = {
  invalid_client:
    'The application is not known here, or no longer. Remove it from where you use it, and add it again.',
  client_document:
    'Start again in a moment. A Roadstead that does not reach the internet never can read it: there the operator sets ROADSTEAD_CLIENT_DOCUMENTS=false, and applications register themselves.',
  invalid_redirect_uri:
    'The application asks for a redirect to another address than the one that it registered. Add it again; if that does not help, contact its developer.',
  invalid_request: 'Return to the application and start again. If that does not help, contact its developer.',
  invalid_target:
    'The application asks for access to something other than this Roadstead. Check the address that you gave it.',
  access_denied: 'Nothing was authorized. You can close this page.',
  temporarily_unavailable: 'Wait a moment, then start again in the application.',
};

const ELSE = 'Return to the application and start again.';

export interface ErrorPage {
  /** The code, for the developer of the application. */
  readonly code?: string | undefined;
  readonly what: string;
  readonly advice?: string | undefined;
}

export function errorPage(page: ErrorPage): string {
  const known = page.code !== undefined && Object.hasOwn(advice, page.code) ? advice[page.code] : undefined;
  return documentOf({
    title: 'This did not work',
    body: html`
      <h1>This did not work</h1>
      <p>${sentence(page.what)}</p>
      <p>${page.advice ?? known ?? ELSE}</p>
      ${page.code !== undefined && html`<p class="quiet">Error <code>${page.code}</code></p>`}
    `,
  });
}

/** Descriptions of OAuth begin in lower case and end without a stop. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) || begun === '' ? begun : `${begun}.`;
}
