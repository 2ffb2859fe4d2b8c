import { expect, test } from 'vitest';
import type { CorsSettings } from '@roadstead/contracts/langgraph-json';
import { allowReading, preflightAnswer } from './cors.ts';
import { openCors } from './cors-rules.ts';
import { OriginPattern } from './origin-pattern.ts';

const page = 'https://app.example';
const cors = (more: Partial<CorsSettings>): CorsSettings => ({ ...openCors, ...more });

function preflight(settings: CorsSettings | null, origin = page, asked = 'authorization, content-type') {
  const headers = new Headers({
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  });
  return Object.fromEntries(preflightAnswer(headers, settings).headers);
}

function answer(settings: CorsSettings | null, origin: string | null = page, answered = {}) {
  const headers = new Headers(answered);
  allowReading(headers, { headers: new Headers(origin === null ? {} : { origin }), cors: settings });
  return Object.fromEntries(headers);
}

const ALWAYS =
  'a2a-extensions, content-location, location, retry-after, www-authenticate, x-a2a-extensions, x-pagination-next, x-pagination-total';

test('when nothing is said, then any page may call with any headers, without credentials', () => {
  expect(preflight(null)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
    vary: 'origin, access-control-request-method, access-control-request-headers',
  });
  expect(answer(null)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': ALWAYS,
  });
});

test.each([
  [{ allow_credentials: true }],
  [{ allow_credentials: true, allow_origins: ['*'] }],
  [{ allow_credentials: true, allow_origins: ['https://other.example', '*'] }],
])('when pages of any origin may call, then they get no credentials: %j', (more) => {
  for (const said of [answer(cors(more)), preflight(cors(more))]) {
    expect(said['access-control-allow-origin']).toBe('*');
    expect(said['access-control-allow-credentials']).toBeUndefined();
  }
});

test('when an origin is named, then its pages may call, with credentials where that is said', () => {
  const named = cors({ allow_origins: [page], allow_credentials: true, max_age: 5 });
  expect(answer(named)).toEqual({
    'access-control-allow-origin': page,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': ALWAYS,
    vary: 'origin',
  });
  expect(preflight(named)).toMatchObject({ 'access-control-max-age': '5' });
});

test.each(['https://other.example', 'https://app.example.evil', 'null', 'https://APP.example', ''])(
  'when a page is of %j, then it is told nothing, and answers are said to differ by origin',
  (origin) => {
    const named = cors({ allow_origins: [page], allow_origin_regex: String.raw`https://\w+\.corp` });
    expect(answer(named, origin)['access-control-allow-origin']).toBeUndefined();
    expect(preflight(named, origin)).toEqual({ vary: expect.stringContaining('origin') });
    expect(answer(named, null)).toMatchObject({ vary: 'origin' });
  },
);

test('when a deployment names methods and headers, then they hold; what clients need is readable', () => {
  const said = cors({
    allow_methods: ['GET'],
    allow_headers: ['x-team'],
    expose_headers: ['X-Cost', 'Content-Location'],
  });
  expect(preflight(said)).toMatchObject({
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'x-team',
  });
  expect(answer(said)['access-control-expose-headers']).toBe(`${ALWAYS}, x-cost`);
  expect(preflight(cors({ allow_headers: ['*'], allow_methods: ['*'] }))).toMatchObject({
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-allow-methods': expect.stringContaining('DELETE'),
  });
});

test('when an answer says itself who may read it, then it is left as it is', () => {
  const own = { 'access-control-allow-origin': 'https://own.example' };
  expect(answer(cors({ allow_origins: [page] }), page, own)).toEqual(own);
  expect(answer(cors({ allow_origins: [page] }), page, { vary: 'accept' })['vary']).toBe('accept, origin');
});

test.each([
  [String.raw`https://\w+\.corp`, 'https://a.corp', true],
  [String.raw`https://\w+\.corp`, 'https://a.corp.evil', false],
  [String.raw`https://\w+\.corp`, 'http://x/https://a.corp', false],
  ['https://a|https://b', 'https://a.evil', false],
  ['(', '(', false],
])('when the expression is %s and the origin %s, then it matches: %s', (source, origin, expected) => {
  const settings = cors({ allow_origin_regex: source });
  expect(answer(settings, origin)['access-control-allow-origin']).toBe(expected ? origin : undefined);
});

test('when an expression took too long three times, then it is left alone for a minute', () => {
  let now = 0;
  const pattern = new OriginPattern('(a+)+b|https://(fine|later)', () => now);
  const slow = 'a'.repeat(60);
  expect(pattern.matches('https://fine')).toBe(true);
  for (let time = 0; time < 2; time += 1) expect(pattern.matches(slow)).toBe(false);
  expect(pattern.matches('aab')).toBe(true);
  expect(pattern.matches(slow)).toBe(false);
  expect([pattern.matches('https://fine'), pattern.matches('https://later')]).toEqual([true, false]);
  now = 60_000;
  expect(pattern.matches('https://later')).toBe(true);
});
