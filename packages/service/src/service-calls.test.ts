import { expect, test } from 'vitest';
import { createServiceCalls } from './service-calls.ts';

test('when calls are made, then one assertion is asked for per audience, workspace and time', async () => {
  let now = 1_000_000;
  const asked: object[] = [];
  const identity = {
    createServiceAssertion: async ({ body }: { readonly body: object }) => {
      asked.push(body);
      return { assertion: `signed:${asked.length}`, expires_at: new Date(now + 60_000).toISOString() };
    },
  };
  const calls = createServiceCalls(identity, { now: () => now });
  const seen: (string | null)[] = [];
  const call = (workspace_id: string) =>
    calls.to('observability', {
      workspace_id,
      fetch: async (request) => {
        seen.push(request.headers.get('x-roadstead-assertion'));
        return new Response();
      },
    })(new Request('http://there/'), { signal: null });
  for (const workspace_id of ['w1', 'w1', 'w2']) await call(workspace_id);
  now += 40_001;
  await call('w1');
  expect(seen).toEqual(['signed:1', 'signed:1', 'signed:2', 'signed:3']);
  expect(asked).toEqual(
    ['w1', 'w2', 'w1'].map((workspace_id) => ({ audience: 'observability', workspace_id })),
  );
});

test('when an assertion is refused, then the refusal is not kept', async () => {
  let attempts = 0;
  const identity = {
    createServiceAssertion: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('away');
      return { assertion: 'signed', expires_at: new Date(Date.now() + 60_000).toISOString() };
    },
  };
  const send = createServiceCalls(identity).to('identity', {
    workspace_id: 'w',
    fetch: async () => new Response('fine'),
  });
  await expect(send(new Request('http://there/'), { signal: null })).rejects.toThrow('away');
  expect(await (await send(new Request('http://there/'), { signal: null })).text()).toBe('fine');
});
