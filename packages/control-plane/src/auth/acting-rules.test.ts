import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { type Caller, mayActFor, reachesFlow, userOf, tokenFilterOf } from './acting-rules.ts';

const free: Caller = { workspace_id: 'w', actor: 'key:1', subject: undefined, deployment_id: undefined };
const bound: Caller = { ...free, subject: 'anna' };
const deployed: Caller = { ...free, deployment_id: 'd1' };

test.each<[string, Caller, string | undefined, string | undefined]>([
  ['a free key acts for whom it names', free, 'ben', 'ben'],
  ['a free key that names nobody acts for itself', free, undefined, 'key:1'],
  ['a bound key acts for its user', bound, undefined, 'anna'],
  ['a bound key may name its user', bound, 'anna', 'anna'],
  ['a bound key acts for nobody else', bound, 'ben', undefined],
  ['an agent names its users', deployed, 'ben', 'ben'],
])('when it is asked whom a key acts for, then %s', (_rule, caller, named, user) => {
  expect(userOr(() => userOf(caller, named))).toBe(user);
});

/** Undefined where it is refused. */
function userOr(ask: () => string): string | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'forbidden') return undefined;
    throw error;
  }
}

test.each<[Caller, string | undefined, object]>([
  [free, undefined, { created_by: 'key:1' }],
  [free, 'ben', { user_id: 'ben' }],
  [bound, undefined, { user_id: 'anna' }],
])('when %j names the user %j, then its lists are about %j', (caller, named, whose) =>
  expect(tokenFilterOf(caller, named)).toEqual(whose),
);

test.each<[string, Caller, { user_id: string; deployment_id: string | null }, boolean]>([
  ['any user’s, by a free key', free, { user_id: 'ben', deployment_id: 'd2' }, true],
  ['one’s own, by a bound key', bound, { user_id: 'anna', deployment_id: 'd2' }, true],
  ['another user’s, by a bound key', bound, { user_id: 'ben', deployment_id: null }, false],
  ['what its agents began, by a deployment', deployed, { user_id: 'ben', deployment_id: 'd1' }, true],
  ['what others’ agents began, by a deployment', deployed, { user_id: 'ben', deployment_id: 'd2' }, false],
  ['what no agent began, by a deployment', deployed, { user_id: 'ben', deployment_id: null }, false],
])('when a flow is asked for (%s), then only those reach it who may', (_case, caller, flow, reached) =>
  expect(reachesFlow(caller, flow)).toBe(reached),
);

test('when a token is an agent’s own, then a key that is bound to a user may not use it', () => {
  expect([mayActFor(bound, null), mayActFor(free, null)]).toEqual([false, true]);
});
