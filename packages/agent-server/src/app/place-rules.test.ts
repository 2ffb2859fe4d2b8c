import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { forwardedHeaders, isElsewhere, placeHeaders, placeOf } from './place-rules.ts';

const place = placeOf('https://home.example/agents/pilot');

// oxlint-disable-next-line roadstead/two-positional -- a header, its value, and where it was asked
function placed(name: string, value: string, asked: { is_elsewhere?: boolean; at?: string } = {}): string {
  const headers = new Headers({ [name]: value });
  const { is_elsewhere = false, at } = asked;
  const found = at === undefined ? place : placeOf(at);
  placeHeaders(headers, { place: found, url: `${found.origin}/a/b?q=1`, is_elsewhere });
  return headers.get(name) ?? '';
}

test.each([
  ['/', '/agents/pilot/'],
  ['/done?ok=1#end', '/agents/pilot/done?ok=1#end'],
  ['https://home.example/done', 'https://home.example/agents/pilot/done'],
  ['https://home.example', 'https://home.example/agents/pilot/'],
  // An app that does not know that it is asked by HTTPS.
  ['http://home.example/done', 'https://home.example/agents/pilot/done'],
  ['//home.example/done', 'https://home.example/agents/pilot/done'],
  ['/agents/pilot/done', '/agents/pilot/done'],
  ['https://home.example/agents/pilot', 'https://home.example/agents/pilot'],
  ['/agents/pilots', '/agents/pilot/agents/pilots'],
  ['/../x', '/agents/pilot/x'],
  // Relative ones already go from where the client is; as far as there is a way up.
  ['c', 'c'],
  ['?page=2', '?page=2'],
  ['#end', '#end'],
  ['../c', '../c'],
  ['../../../c', '/agents/pilot/c'],
  ['https://other.example/done', 'https://other.example/done'],
  ['https://home.example:8443/done', 'https://home.example:8443/done'],
  ['//other.example/done', '//other.example/done'],
  [String.raw`/\other.example`, String.raw`/\other.example`],
  ['mailto:pilot@home.example', 'mailto:pilot@home.example'],
  ['http://', 'http://'],
])('when an app redirects to %s, then its client is sent to %s', (said, expected) => {
  expect(placed('location', said)).toBe(expected);
});

test.each([
  ['content-location', '/one', '/agents/pilot/one'],
  [
    'link',
    '</two>; rel="next", <https://home.example/>; rel=first',
    '</agents/pilot/two>; rel="next", <https://home.example/agents/pilot/>; rel=first',
  ],
  ['link', '<https://other.example/>; rel=help', '<https://other.example/>; rel=help'],
  ['refresh', '5; url=/three', '5; url=/agents/pilot/three'],
  ['refresh', '0;URL="/three"', '0;URL="/agents/pilot/three"'],
  ['refresh', '5', '5'],
  ['x-of-the-app', '/four', '/four'],
])('when an app says %s: %s, then it stands below its address', (name, said, expected) => {
  expect(placed(name, said)).toBe(expected);
});

test.each([
  ['redirect_uri', 'https://home.example/callback', 'https://home.example/agents/pilot/callback'],
  ['post_logout_redirect_uri', 'https://home.example/', 'https://home.example/agents/pilot/'],
  [
    'redirect_uri',
    'https://home.example/agents/pilot/callback',
    'https://home.example/agents/pilot/callback',
  ],
  ['redirect_uri', 'https://other.example/callback', 'https://other.example/callback'],
  ['redirect_uri', 'com.example.app:/callback', 'com.example.app:/callback'],
  ['next', 'https://home.example/callback', 'https://home.example/callback'],
])(
  'when an app sends somebody to sign in with %s=%s, then they come back to it',
  (name, callback, expected) => {
    const at = (address: string) =>
      `https://provider.example/authorize?scope=a+b%2Fc&${name}=${encodeURIComponent(address)}&state=1`;
    expect(placed('location', at(callback))).toBe(at(expected));
  },
);

test('when a deployment has a host of its own, then nothing is changed', () => {
  const at = 'https://home.example';
  for (const said of ['/done', '/../done', 'http://home.example/done', 'c', '../../../c'])
    expect(placed('location', said, { at })).toBe(said);
  expect(forwardedHeaders(placeOf(at))).toEqual({
    'x-forwarded-host': 'home.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-prefix': '',
  });
});

test.each([
  ['http://platform.example/agents/pilot/a', 'https://pilot.example', true],
  ['https://pilot.example/agents/pilot/a', 'https://pilot.example', false],
  ['http://127.0.0.1:4100/agents/pilot/a', 'http://localhost:4100/agents/pilot', false],
  ['http://127.0.0.1:4100/agents/pilot/a', 'https://home.example/its/pilot', true],
])('when %s is asked of a deployment at %s, then it is elsewhere: %j', (asked, at, expected) => {
  expect(isElsewhere(asked, { place: placeOf(at), path: '/a' })).toBe(expected);
  const said = placed('location', '/done', { at, is_elsewhere: expected });
  expect(URL.canParse(said)).toBe(expected);
});

test('when an app names any path, then it stays below its address, and is placed once', () => {
  const part = fc.constantFrom('a', '..', '.', '', 'agents', 'pilot', '%2e%2e');
  fc.assert(
    fc.property(fc.array(part), fc.constantFrom('/', '', 'https://home.example/'), (parts, before) => {
      const said = placed('location', before + parts.join('/'));
      const from = `https://home.example/agents/pilot/a/b?q=1`;
      const found = URL.parse(said, from);
      fc.pre(found !== null && found.host === 'home.example');
      expect(`${found?.pathname}/`.startsWith('/agents/pilot/')).toBe(true);
      expect(URL.parse(placed('location', found?.href ?? ''), from)?.href).toBe(found?.href);
    }),
  );
});
