import { expect, test } from 'vitest';
import { agentServer } from '@roadstead/contracts/agent-server';
import { openTestAgent } from '../testing/test-agent.ts';

/** The examples of the contract, sent as its readers would send them. */

test('when the example of a message is sent, then the answer is its task', async () => {
  await using agent = await openTestAgent();
  const { status, body } = await agent.call('echo', agentServer.callA2a.example?.body);
  expect(status).toBe(200);
  expect(body?.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
});

test.each([
  ['readAgentCard', '/.well-known/agent-card.json'],
  ['readAssistantCard', '/a2a/echo/.well-known/agent-card.json'],
] as const)('when the example of %s is sent, then the answer is a card', async (operation, path) => {
  await using agent = await openTestAgent();
  const query = new URLSearchParams(agentServer[operation].example?.query as Record<string, string>);
  // The graphs here have names of their own.
  if (query.has('assistant_id')) query.set('assistant_id', 'echo');
  const answer = await agent.fetch(`${agent.url}${path}?${query.toString()}`);
  const card = expect.objectContaining({ name: expect.any(String) });
  expect([answer.status, await answer.json()]).toEqual([200, card]);
});
