import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openAgentHttp } from '../../testing/agent-http.ts';

test('when items are searched by meaning, then clients and graphs find each other’s', async () => {
  await using http = await openAgentHttp('meaning');
  const client = http.client();
  const tell = async (text: string) => {
    const message = { role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text }] };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const answer = (await (await http.agent.call('remember', JSON.stringify(rpc))).json()) as {
      result: { status: { message: { parts: { text: string }[] } } };
    };
    return answer.result.status.message.parts[0]?.text;
  };
  expect(await tell('a gull on the quay')).toBe('nothing');
  await client.store.putItem(['known'], 'of a client', { text: 'a storm is coming' });
  expect(await tell('how is the wind?')).toBe('a storm is coming 1.00');
  await client.store.putItem(['known'], 'hidden', { text: 'a seal' }, { index: false });
  await client.store.putItem(['known'], 'elsewhere', { text: 'x', note: 'fish' }, { index: ['note'] });
  const { items } = await client.store.searchItems(['known'], { query: 'seals', limit: 3 });
  expect(items.map(({ key, score }) => [key, score?.toFixed(2)])).toEqual([
    ['a gull on the quay', '1.00'],
    ['elsewhere', '1.00'],
    ['how is the wind?', '0.01'],
  ]);
  expect((await client.store.searchItems(['known'], { limit: 20 })).items).toHaveLength(5);
});
