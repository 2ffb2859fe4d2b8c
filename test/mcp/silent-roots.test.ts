import { uuidv7 } from '@roadstead/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, type McpFixture, startMcpFixture, traceOf } from './mcp-fixture.ts';

/** Conversations whose turns begin with a run that holds no messages. */

let fixture: McpFixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startMcpFixture();
  caller = await fixture.connect('client 2.x, HTTP, 2026-07-28');
}, 60_000);
afterAll(async () => {
  await caller[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

test('the first runs below that have messages stand for the turn', async () => {
  const [root, child] = [uuidv7(), uuidv7()];
  const [own] = traceOf(root, 1, {
    name: 'POST /chat',
    inputs: {},
    outputs: {},
    extra: { metadata: { thread_id: 'web' } },
  }) as [Record<string, unknown>];
  const parts = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const below = {
    ...own,
    id: child,
    parent_run_id: root,
    dotted_order: `${String(own['dotted_order'])}.20260105T090001000000Z${child}`,
    name: 'chat',
    run_type: 'llm',
    inputs: { messages: [parts('system', 'Be brief.'), parts('user', 'hello')] },
    outputs: { messages: [parts('assistant', 'hi')] },
    extra: {},
  };
  await fixture.send([own, below]);
  const given = { thread_id: 'web', project_name: own['session_name'], page_number: 1 };
  const { structuredContent } = await caller.call('get_thread_history', given);
  expect(structuredContent).toMatchObject({
    result: [
      { role: 'system', content: 'Be brief.', trace_id: root },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
    ],
  });
});
