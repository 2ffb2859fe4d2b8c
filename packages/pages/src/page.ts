import { Html, html } from './html.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** What every page has around it. */

export interface Page {
  readonly title: string;
  readonly body: Html;
}

/** Made by hand: formatted, it would not be the text that its hash is of. */
const style = Html.of([`<style>${STYLE}</style>`], []);

export function documentOf({ title, body }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Roadstead</title>
        ${style}
      </head>
      <body>
        <div class="brand">Roadstead</div>
        <main>${body}</main>
      </body>
    </html>`.toString();
}

/**
 * No script runs, nothing is loaded, nobody frames it, and no copy is kept.
 * @param leads_to where a form may lead in the end, beside this origin; browsers hold a redirect to this too.
 */
export function pageHeaders(leads_to?: string): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `style-src '${STYLE_HASH}'`,
    `form-action 'self' ${formSource(leads_to)}`.trim(),
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // A form posted from a page without a referrer has no origin.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** The source expression of the policy that stands for an address; a literal IPv6 host can't be written in one. */
function formSource(address: string | undefined): string {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null) return '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return url.protocol;
  return url.host.startsWith('[') ? url.protocol : url.origin;
}

/** Something that is wrong, said where it is read out at once. */
export const fault = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="fault" id="fault" role="alert">${sentence}</p>`;
