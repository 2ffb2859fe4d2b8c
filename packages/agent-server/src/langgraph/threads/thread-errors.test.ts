import { Client } from '@langchain/langgraph-sdk';
import { expect, test } from 'vitest';
import { openAgent } from '../../testing/open-agent.ts';

const thrown = 'This went wrong.';

test.each([false, true])(
  'when a graph throws, then it is told where that is allowed, and nowhere else (%s)',
  async (expose_errors) => {
    await using agent = await openAgent({ expose_errors });
    await agent.serve(crypto.randomUUID());
    const { threads, runs } = new Client({
      apiUrl: 'http://roadstead.test',
      apiKey: 'k',
      callerOptions: {
        fetch: (input: string, init: RequestInit) => agent.fetch(new Request(input, init)),
        maxRetries: 0,
      },
    });
    const { thread_id } = await threads.create();
    const modes = ['tasks', 'debug', 'checkpoints', 'events', 'values'] as const;
    const input = { messages: [{ role: 'user', content: 'fail' }] };
    const told: { event: string; data: unknown }[] = [];
    for await (const part of runs.stream(thread_id, 'trouble', { input, streamMode: [...modes] }))
      told.push(part);
    const state = await threads.getState(thread_id);
    const { tasks } = state;
    const seen: Record<string, unknown> = {
      stream: told,
      thread: await threads.get(thread_id),
      state,
      history: await threads.getHistory(thread_id),
      runs: await runs.list(thread_id),
    };
    const words = expose_errors ? thrown : 'the reason is in its log, under ';
    expect(tasks[0]?.error).toContain(words);
    const message = expect.stringContaining(words) as string;
    const error = { error: 'RangeError', name: 'RangeError', message };
    expect(seen['thread']).toMatchObject({ status: 'error', error });
    expect(told.at(-1)).toMatchObject({ event: 'error', data: { message: expect.stringContaining(words) } });
    const leaking = Object.keys(seen).filter((name) => JSON.stringify(seen[name]).includes(thrown));
    expect(leaking).toEqual(expose_errors ? ['stream', 'thread', 'state', 'history'] : []);
  },
);
