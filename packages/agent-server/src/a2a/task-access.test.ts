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
  'before %s it is asked whether its caller may, and what is forbidden is 403',
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
