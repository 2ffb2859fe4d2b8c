import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { acceptedAccess, addresses, allows, type Endpoint, Scope } from '@roadstead/contracts';
import { originServices } from '@roadstead/contracts/services';
import { freshDatabase, useFixture } from '@roadstead/testing';
import { dataHome, startPlatform } from '../support/platform.ts';
import { textOf } from './things.ts';

/** Every endpoint that is built, called with a key of every single scope. */

const keyOf = (scope: Scope) => `rs_with_the_scope_${scope}`;

const home = useFixture(dataHome);
const own = useFixture(() => freshDatabase('own'));
const traces = useFixture(() => freshDatabase('traces'));
const platform = useFixture(() =>
  startPlatform(home().path, { env: { DATABASE_URL: own().url, TRACES_DATABASE_URL: traces().url } }),
);
beforeAll(async () => {
  const [workspace] = await own().db.query<{ id: string }>('select id from identity.workspaces');
  for (const scope of Scope.options)
    await own().db.run(
      `insert into identity.api_keys (id, workspace_id, name, hash, hint, scopes)
       values ($1, $2, $3, $4, 'rs_', $5)`,
      [randomUUID(), workspace?.id, scope, createHash('sha256').update(keyOf(scope)).digest(), [scope]],
    );
});

const built = Object.values(originServices as Record<string, Record<string, Endpoint>>).flatMap((contract) =>
  Object.entries(contract)
    .filter(([, { refused, auth }]) => refused !== true && auth === 'key')
    .map(([operation, endpoint]) => ({ operation, endpoint, address: addresses(endpoint)[0] ?? '' })),
);

test('when a key calls, then it may what its scope gives, and a 403 names the scope it lacks', async () => {
  let asked = 0;
  for (const { operation, endpoint, address } of built) {
    const accepted = acceptedAccess(endpoint);
    const path = address.replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111');
    for (const scope of Scope.options) {
      const answer = await fetch(platform().url + path, {
        method: endpoint.method,
        headers: { 'x-api-key': keyOf(scope), 'content-type': 'application/json' },
        ...(endpoint.method === 'GET' || endpoint.method === 'DELETE' ? {} : { body: '{' }),
      });
      const text = await textOf(answer, endpoint);
      const lacks = `lacks the scope ${accepted.join(' or ')}`;
      const refused = answer.status === 403 && text.includes(lacks);
      expect([operation, scope, answer.status, refused]).toEqual([
        operation,
        scope,
        answer.status,
        !allows([scope], accepted),
      ]);
      expect([operation, scope, answer.status === 401]).toEqual([operation, scope, false]);
      asked += 1;
    }
  }
  expect(asked).toBeGreaterThan(800);
});

test('when an endpoint only reads, then it asks for a read right, and admin has all but listener', () => {
  const reads = built.filter(
    // What the one shows lets its holder give feedback, and the other tells any caller who that is.
    ({ operation, endpoint }) =>
      endpoint.method === 'GET' && !['listFeedbackTokens', 'readCaller'].includes(operation),
  );
  const odd = reads.filter(
    ({ endpoint }) =>
      !acceptedAccess(endpoint).every((access) => /:(read|invoke|use)$|^listener$|^keys:/.test(access)),
  );
  expect(odd.map(({ operation }) => operation)).toEqual([]);
  const closed = built.filter(({ endpoint }) => !allows(['admin'], acceptedAccess(endpoint)));
  expect(new Set(closed.flatMap(({ endpoint }) => acceptedAccess(endpoint)))).toEqual(new Set(['listener']));
});
