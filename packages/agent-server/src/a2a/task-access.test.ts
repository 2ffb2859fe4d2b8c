import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import type { AccessRules, Attempt } from '../access/caller.ts';
import { openTestAgent } from '../testing/test-agent.ts';

const message = () => ({
  message: {
    kind: 'message',
    role: 'user',
    messageId: crypto.randomUUID(),
    parts: [{ kind: 'text', text: 'Hello' }],
  },
});
const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

test.each([
  ['message/send', message(), 'create_run'],
  ['message/stream', message(), 'create_run'],
  ['tasks/get', { id: 't' }, 'read'],
  ['tasks/resubscribe', { id: 't' }, 'read'],
  ['tasks/cancel', { id: 't' }, 'update'],
  ['ListTasks', {}, 'search'],
])(
  'when %s comes, then it is asked whether its caller may, and what is forbidden is 403',
  async (method, params, action) => {
    const attempts: Attempt[] = [];
    const access: AccessRules = {
      authorize: async (_caller, attempt) => {
        attempts.push(attempt);
        throw new Problem('forbidden', 'Not you.');
      },
    };
    await using agent = await openTestAgent({ access });
    const refused = await agent.call('echo', rpc(method, params));
    expect([refused.status, refused.body?.error?.message]).toEqual([403, 'Not you.']);
    expect(attempts).toMatchObject([{ resource: 'threads', action, value: { metadata: {} } }]);
  },
);

test('when filters of auth leave a task’s thread out, then it is not found, and on no page', async () => {
  let team = 'red';
  const access: AccessRules = {
    authorize: async (_caller, { value }) => ({ value: { ...value, metadata: { team } }, filters: { team } }),
  };
  await using agent = await openTestAgent({ access });
  const sent = await agent.call('echo', rpc('message/send', message()));
  const { id } = (sent.body?.result ?? {}) as { readonly id?: string };
  const looks = async () => {
    const read = await agent.call('echo', rpc('tasks/get', { id }));
    const page = await agent.call('echo', rpc('ListTasks'));
    const { totalSize } = (page.body?.result ?? {}) as { readonly totalSize?: number };
    return [read.body?.error?.code, totalSize];
  };
  expect(await looks()).toEqual([undefined, 1]);
  team = 'blue';
  expect(await looks()).toEqual([-32_001, 0]);
});
