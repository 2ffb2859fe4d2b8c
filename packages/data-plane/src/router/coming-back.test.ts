import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import { useRouter } from '../testing/router-fixture.ts';
import { Routes } from './routes.ts';

/** Calls of deployments that are not back after a start of the data plane. */

const { router } = useRouter();

test('when deployments come back after a start, then no caller without a valid key is held', async () => {
  await using starting = await router().openStarting({});
  const answered = await starting.call('/agents/mine/a2a/x', { method: 'POST' });
  expect([answered.status, answered.headers['retry-after']]).toEqual([503, '5']);
});

test('when a deployment is still coming back, then it is waited for', async () => {
  const late = new Routes();
  const { signal } = new AbortController();
  const route = await router().routes.find('mine', 0, signal);
  const waiting = late.find('mine', 60_000, signal);
  if (route !== undefined) late.set('mine', route);
  expect(await waiting).toBe(route);
});

test('when deployments are brought back after a start, then an unknown name is 503, not 404', async () => {
  await using starting = await router().openStarting({ assertion: 'signed' }, { coming_back_ms: 0 });
  const ask = () => starting.call('/agents/mine/ok');
  const early = await ask();
  expect([early.status, early.headers['retry-after']]).toEqual([503, '5']);
  starting.routes.markReady();
  expect((await ask()).status).toBe(404);
});

test('when a deployment can’t be brought back, then it is said to be unavailable', async () => {
  const key = { headers: { 'x-api-key': 'k' } };
  const { status, headers, text } = await router().call('/agents/lost/page', key);
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  expect(text).toContain('can’t be restored');
  expect((await router().call('/agents/nowhere/page', key)).status).toBe(404);
});

test('when deployments come back, then pages and others may try their WebSockets again', async () => {
  await using starting = await router().openStarting({});
  expect(await starting.connect('/agents/mine/chat').opened).toBe(503);
  expect(await starting.connect('/agents/mine/chat', { origin: 'https://a.example' }).opened).toBe(503);
  starting.routes.markReady();
  expect(await starting.connect('/agents/mine/chat').opened).toBe(401);
});

test('when deployments come back, then callers by another auth are to try again, not refused', async () => {
  await using starting = await router().openStarting({ refused: new Problem('unauthenticated', 'No.') });
  const answered = await starting.call('/agents/mine/threads', {
    headers: { authorization: 'Bearer theirs' },
  });
  expect([answered.status, answered.headers['retry-after']]).toEqual([503, '5']);
});
