import { Html, html } from './html.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** The frame around every page. */

export interface Page {
  readonly title: string;
  readonly body: Html;
}

/** Created by hand: formatted, it would no longer match its hash. */
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
 * No script runs, nothing is loaded, nobody frames the page, and no copy is kept.
 * @param leads_to where a form may finally lead, beside this origin; browsers apply the policy to redirects too.
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

/** The policy's source expression for an address; a literal IPv6 host can't be written in one. */
function formSource(address: string | undefined): string {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null) return '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return url.protocol;
  return url.host.startsWith('[') ? url.protocol : url.origin;
}

/** An error message, placed where screen readers announce it at once. */
export const fault = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="fault" id="fault" role="alert">${sentence}</p>`;
