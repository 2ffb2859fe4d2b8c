import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { clientNameOf, destinationOf, vouchedBy } from './client-rules.ts';
import { offerOf } from './consent-rules.ts';
import { oauthPages } from './device-pages.ts';
import { pageHeaders } from '@roadstead/pages';

test.each([
  ['http://127.0.0.1:5000/cb', 'a program on this computer (127.0.0.1:5000)'],
  ['http://localhost:5000/cb', 'a program on this computer (localhost:5000)'],
  ['http://[::1]:5000/cb', 'a program on this computer ([::1]:5000)'],
  ['https://127.0.0.1.evil.example/cb', '127.0.0.1.evil.example'],
  ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
  ['cursor://anysphere.cursor-retrieval/oauth', 'the program on this computer that opens cursor: addresses'],
  [null, undefined],
])('when the redirect address is %s, then the page says that it leads to %s', (redirect_uri, said) => {
  expect(destinationOf({ redirect_uri })).toBe(said);
});

test.each([
  ['Claude Code', 'Claude Code'],
  [null, 'An application without a name'],
  [' \u202e\u0000 ', 'An application without a name'],
  ['Good\u202e live\n\n  app', 'Good live app'],
  ['x'.repeat(200), `${'x'.repeat(80)}…`],
])('when a client is named %j, then it is shown as %j', (name, shown) => {
  expect(clientNameOf({ name })).toBe(shown);
});

test('when a name stands in a metadata document, then its host vouches for it, or else nobody', () => {
  const client = { name: 'Editor', uri: 'https://bank.example', redirect_uri: null, is_console: false };
  const id = 'https://editor.example/client.json';
  expect(vouchedBy({ ...client, id, is_metadata_document: true })).toContain('editor.example');
  expect(vouchedBy({ ...client, id, is_metadata_document: false })).toMatch(/^No one/);
});

test('when scopes are offered, then those that read were asked for, and none exceeds one’s own', () => {
  expect(offerOf(['traces:read', 'usage:read', 'agents:invoke'], ['traces:admin', 'prompts:write'])).toEqual({
    reads: ['traces:read'],
    writes: ['prompts:write'],
    beyond: ['usage:read', 'agents:invoke'],
  });
  expect(offerOf(['traces:read'], ['admin'])).toEqual({
    reads: ['traces:read'],
    writes: ['prompts:write', 'datasets:write', 'agents:invoke'],
    beyond: [],
  });
});

test.each([
  [undefined, `form-action 'self'`],
  ['http://localhost:5000/callback', `form-action 'self' http://localhost:5000`],
  ['cursor://x/y', `form-action 'self' cursor:`],
  ['http://[::1]:5000/cb', `form-action 'self' http:`],
  [`https://a.example/;script-src 'unsafe-inline'`, `form-action 'self' https://a.example`],
])('when a page’s form leads to %s, then the page allows that, and nothing else', (leads_to, said) => {
  const headers = pageHeaders(leads_to);
  expect(headers['content-security-policy']?.split('; ')).toEqual([
    `default-src 'none'`,
    expect.stringMatching(/^style-src 'sha256-[\w+/]{43}='$/),
    said,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ]);
  expect(headers['cache-control']).toBe('no-store');
});

test('when a page has a style, then the policy names it, and nothing else of it needs a right', () => {
  const page = oauthPages.deviceCode({ action: '/x', xsrf: 'y' });
  const style = styleOf(page);
  const hash = createHash('sha256').update(style).digest('base64');
  expect(pageHeaders()['content-security-policy']).toContain(hash);
  expect(page).not.toMatch(/<script|style=|\son\w+=|<img|<link/);
});

/** The contrast of WCAG 2.2, 1.4.3: the ratio of two relative luminances. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ['light', 0],
  ['dark', 1],
])('when a page is shown in %s colours, then its text can be read on what is behind it', (_name, at) => {
  const style = styleOf(oauthPages.deviceCode({ action: '/x', xsrf: 'y' }));
  const blocks = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, inside = '']) => inside);
  const colours = Object.fromEntries(
    [...(blocks[at] ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name = '', colour = '']) => [
      name,
      colour,
    ]),
  );
  const pairs = [
    ['ink', 'card'],
    ['quiet', 'card'],
    ['quiet', 'ground'],
    ['accent', 'card'],
    ['on-accent', 'accent'],
    ['bad', 'bad-ground'],
    ['ink', 'field'],
  ] as const;
  for (const [text, behind] of pairs)
    expect([text, behind, contrast(colours[text] ?? '', colours[behind] ?? '') >= 4.5]).toEqual([
      text,
      behind,
      true,
    ]);
});

function styleOf(page: string): string {
  return /<style>([^]*)<\/style>/.exec(page)?.[1] ?? '';
}
