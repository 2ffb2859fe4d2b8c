import { expect, test } from 'vitest';
import { openAgent } from '../testing/open-agent.ts';

const CALLERS = 24;

test('when 24 callers come to an agent that waits, then one host has all of their runs at once', async () => {
  await using agent = await openAgent({ jobs_per_host: 1000, max_hosts: 1 });
  await agent.serve('11111111-1111-4111-8111-111111111111');
  const told: ('began' | 'late')[] = [];
  const call = async () => {
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    const answer = await agent.ask('/runs/stream', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // A run of it waits for ten seconds.
      body: JSON.stringify({ assistant_id: 'slow', stream_mode: 'updates', input }),
    });
    let before = '';
    for await (const bytes of answer.body ?? []) {
      const text = before + Buffer.from(bytes).toString();
      for (const word of ['began', 'late'] as const)
        if (text.includes(`"${word}"`) && !before.includes(`"${word}"`)) told.push(word);
      before = text;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  expect(told.slice(0, CALLERS)).toEqual(Array.from({ length: CALLERS }, () => 'began'));
  expect(told.slice(CALLERS)).toEqual(Array.from({ length: CALLERS }, () => 'late'));
  expect(agent.server.hosts()).toBe(1);
});
