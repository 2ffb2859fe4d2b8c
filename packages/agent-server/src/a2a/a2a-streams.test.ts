import { createLog } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import { asJson, send, send10, taskIn, user, user10 } from '../testing/rpc-messages.ts';
import { openTestAgent } from '../testing/test-agent.ts';

describe('streams', () => {
  const stream = (message: object) => ({ ...send(message), method: 'message/stream' });

  test('when 0.3 streams, then it gets the task and its numbered events, the last of them final', async () => {
    await using agent = await openTestAgent();
    const { headers, events, text } = await agent.call('echo', stream(user('Hi')));
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect([headers.get('cache-control'), headers.get('x-accel-buffering')]).toEqual(['no-store', 'no']);
    expect(events.every((event) => event.jsonrpc === '2.0' && event.id === 'r1')).toBe(true);
    expect(events.map((event) => event.result?.['kind'])).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ]);
    expect(events.map((event) => event.result?.['final'])).toEqual([
      undefined,
      false,
      undefined,
      undefined,
      true,
    ]);
    expect(events.at(-1)?.result).toMatchObject({
      status: { state: 'completed', message: { parts: [{ text: 'Echo: Hi' }] } },
    });
    expect(events[2]?.result).toMatchObject({
      append: false,
      lastChunk: false,
      artifact: { parts: [{ text: 'Echo: ' }] },
    });
    expect(events[3]?.result).toMatchObject({
      append: true,
      lastChunk: true,
      artifact: { parts: [{ text: 'Hi' }] },
    });
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual([1, 2, 3, 4, 5]);
  });

  test('when 1.0 streams, then a member of each event says its kind', async () => {
    await using agent = await openTestAgent();
    const { events } = await agent.call('ask', { ...send10(user10('Hi')), method: 'SendStreamingMessage' });
    expect(events.map((event) => Object.keys(event.result ?? {}))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['statusUpdate'],
    ]);
    expect(events.at(-1)?.result).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
  });

  test('when the same message comes again, then it streams its task from where it is', async () => {
    await using agent = await openTestAgent();
    const message = user('Hi');
    await agent.call('echo', stream(message));
    const { events } = await agent.call('echo', stream(message));
    expect(events.map((event) => event.result?.['kind'])).toEqual(['task', 'status-update']);
    expect(events.at(-1)?.result).toMatchObject({ final: true, status: { state: 'completed' } });
    const again = await agent.call('echo', { ...send10(user10('Ho')), method: 'SendStreamingMessage' });
    expect(again.events.length).toBeGreaterThan(1);
  });

  test('when a stream is silent, then comments fill the silence', async () => {
    await using agent = await openTestAgent({ heartbeat_ms: 20 });
    const body = JSON.stringify(stream(user('hi')));
    const response = await agent.fetch(`${agent.url}/a2a/gate`, { method: 'POST', body, headers: asJson });
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if ((text.match(/^: keep-alive$/gm)?.length ?? 0) > 1) agent.release();
    }
    expect(text.trimEnd().split('\n').at(-1)).toContain('"final":true');
  });

  test('when a reader goes away, then its stream ends, and the task goes on', async () => {
    let reading = 0;
    await using agent = await openTestAgent({
      wrap: (engine) =>
        Object.assign(Object.create(engine) as typeof engine, {
          assistant: engine.assistant.bind(engine),
          assistants: engine.assistants.bind(engine),
          task: engine.task.bind(engine),
          begin: engine.begin.bind(engine),
          settled: engine.settled.bind(engine),
          events: async function* (...args: Parameters<typeof engine.events>) {
            reading += 1;
            try {
              yield* engine.events(...args);
            } finally {
              reading -= 1;
            }
          },
        }),
    });
    const message = user('hi');
    const gone = new AbortController();
    const response = await agent.fetch(`${agent.url}/a2a/gate`, {
      method: 'POST',
      body: JSON.stringify(stream(message)),
      headers: asJson,
      signal: gone.signal,
    });
    await response.body?.getReader().read();
    await expect.poll(() => reading).toBe(1);
    gone.abort();
    await expect.poll(() => reading).toBe(0);
    agent.release();
    expect(taskIn((await agent.call('gate', send(message))).body).status.state).toBe('completed');
  });

  test('when a stream fails, then it ends with an error event, and the log has the cause', async () => {
    const lines: string[] = [];
    await using agent = await openTestAgent({
      log: createLog({ level: 'error', write: (line) => void lines.push(line) }),
      wrap: (engine) =>
        Object.assign(Object.create(engine) as typeof engine, {
          assistant: engine.assistant.bind(engine),
          assistants: engine.assistants.bind(engine),
          begin: engine.begin.bind(engine),
          // eslint-disable-next-line require-yield
          events: async function* () {
            throw new Error('secret detail');
          },
        }),
    });
    const { events, text } = await agent.call('echo', stream(user('hi')));
    expect(events.map((event) => event.error?.code)).toEqual([undefined, -32_603]);
    expect(text).not.toContain('secret');
    expect(lines.join()).toContain('secret detail');
  });
});
