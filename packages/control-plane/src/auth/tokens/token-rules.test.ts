import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerTo, hasScopes, type TokenCandidate, isFresh, isOver } from './token-rules.ts';

test.each<[string, { scopes: string[]; asked?: string[] }, string[], boolean]>([
  ['what was given', { scopes: ['a', 'b'] }, ['b'], true],
  ['nothing in particular', { scopes: [] }, [], true],
  ['more than was given', { scopes: ['a'], asked: ['a', 'b'] }, ['a', 'b'], false],
  ['Microsoft’s short name', { scopes: ['https://graph.microsoft.com/User.Read'] }, ['User.Read'], true],
  ['the name that it was given by', { scopes: ['https://g.example/mail'] }, ['https://g.example/mail'], true],
  ['an OpenID scope that is not repeated', { scopes: ['a'], asked: ['openid', 'a'] }, ['openid', 'a'], true],
  ['an OpenID scope that nobody asked for', { scopes: ['a'] }, ['openid'], false],
  ['the end of a name that is no address', { scopes: ['repo/read'] }, ['read'], false],
])(
  'when somebody asks for %s, then a token of %j is enough, or it is not',
  (_case, { scopes, asked = scopes }, wanted, enough) => {
    expect(hasScopes({ scopes, asked_scopes: asked }, wanted)).toBe(enough);
  },
);

const token = (held: Partial<TokenCandidate>): TokenCandidate => ({
  id: 'one',
  user_id: 'anna',
  scopes: ['a'],
  asked_scopes: held.scopes ?? ['a'],
  is_default: false,
  broken_at: null,
  updated_at: '2026-01-01T00:00:00.000Z',
  ...held,
});
const question = { scopes: ['a'], token_id: null, force_new: false, usable: [], unconnected: [] };
const broken_at = '2026-01-02T00:00:00.000Z';

test.each<[string, Partial<Parameters<typeof answerTo>[0]>, object]>([
  ['nothing is there', {}, { kind: 'ask', status: 'pending', scopes: ['a'], replaces: undefined }],
  ['one is there', { usable: [token({})] }, { kind: 'use', token: { id: 'one' } }],
  [
    'the default comes first',
    { usable: [token({ id: 'other' }), token({ is_default: true })] },
    { kind: 'use', token: { id: 'one' } },
  ],
  [
    'the user’s comes before the agent’s own',
    { usable: [token({ id: 'own', user_id: null, is_default: true }), token({})] },
    { kind: 'use', token: { id: 'one' } },
  ],
  [
    'a broken one is passed over',
    { usable: [token({ id: 'broken', broken_at, is_default: true }), token({})] },
    { kind: 'use', token: { id: 'one' } },
  ],
  [
    'only a broken one is there',
    { usable: [token({ broken_at })] },
    { kind: 'ask', status: 'token_expired', replaces: { id: 'one' } },
  ],
  [
    'a narrow one is widened',
    { scopes: ['b'], usable: [token({})] },
    { kind: 'ask', status: 'pending', scopes: ['b', 'a'], replaces: { id: 'one' } },
  ],
  [
    'the agent’s own is not widened',
    { scopes: ['b'], usable: [token({ user_id: null })] },
    { kind: 'ask', status: 'pending', scopes: ['b'], replaces: undefined },
  ],
  [
    'the agent is not connected',
    { unconnected: [token({})] },
    { kind: 'ask', status: 'connection_required', scopes: ['a'], replaces: undefined },
  ],
  ['another is wanted', { force_new: true, usable: [token({})] }, { kind: 'ask', status: 'pending' }],
  [
    'one is named',
    { token_id: 'other', usable: [token({ is_default: true }), token({ id: 'other' })] },
    { kind: 'use', token: { id: 'other' } },
  ],
  ['one is named that is not there', { token_id: 'none', usable: [token({})] }, { kind: 'unknown' }],
])('when a token is asked for (%s), then the right answer is chosen', (_case, asked, answer) => {
  expect(answerTo({ ...question, ...asked })).toMatchObject(answer);
});

test('when a token is given, then it is whole, has the scopes, and is the caller’s to use', () => {
  const scope = fc.constantFrom('a', 'b', 'c');
  const held = fc.record({
    id: fc.uuid(),
    user_id: fc.constantFrom('anna', null),
    scopes: fc.array(scope),
    asked_scopes: fc.array(scope),
    is_default: fc.boolean(),
    broken_at: fc.constantFrom(null, broken_at),
    updated_at: fc.constant('2026-01-01T00:00:00.000Z'),
  });
  fc.assert(
    fc.property(fc.array(held), fc.array(held), fc.array(scope), (usable, unconnected, scopes) => {
      const answer = answerTo({ ...question, scopes, usable, unconnected });
      const fitting = usable.filter((one) => one.broken_at === null && hasScopes(one, scopes));
      const given = answer.kind === 'use' ? [answer.token] : [];
      expect([given.length > 0, given.every((one) => fitting.includes(one))]).toEqual([
        fitting.length > 0,
        true,
      ]);
      const asked = answer.kind === 'ask' ? answer.scopes : scopes;
      expect(asked).toEqual(expect.arrayContaining(scopes));
    }),
  );
});

test('when a token is in its last minute, then it is refreshed', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  expect([isFresh(null, now), isFresh(at(61), now), isFresh(at(60), now)]).toEqual([true, true, false]);
  expect([isOver(null, now), isOver(at(1), now), isOver(at(0), now)]).toEqual([false, false, true]);
});
