import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deployment, Revision, Template } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';

/** Every template in JavaScript is deployed by its id, without a key, and answers what its README says. */

vi.setConfig({ testTimeout: 240_000 });

const ids = new Map<string, string>();
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
const model = useFixture(async () => {
  const server = createServer((request, response) => void answerAsModel(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => server.close().closeAllConnections() };
});
beforeAll(() => Promise.all([...Object.keys(conversations), 'approval-agent'].map((id) => deploy(id))));

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const answer = await platform().fetch(`${platform().url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...init,
  });
  return (await answer.json()) as T;
}

/** Creates a deployment, as curl would. */
async function deploy(template_id: string, more: object = {}): Promise<void> {
  const body = { name: template_id, source: 'internal_template', source_config: { template_id }, ...more };
  const created = { source_revision_config: {}, secrets: [], ...body };
  const { id } = await ask<Deployment>('/v2/deployments', { method: 'POST', body: JSON.stringify(created) });
  ids.set(body.name, id);
}

/** Its revision, when that has come to an end. */
async function deployed(name: string): Promise<Revision> {
  const read = async () => {
    const list = await ask<{ resources: Revision[] }>(`/v2/deployments/${ids.get(name)}/revisions`);
    return list.resources[0];
  };
  const timeout = 220_000;
  await expect.poll(async () => (await read())?.status, { timeout }).toMatch(/^(DEPLOYED|.*FAILED)$/);
  return (await read()) as Revision;
}

/** What an agent answers to each of these, in one conversation. */
async function talk(agent: string, ...texts: string[]): Promise<string[]> {
  const answers: string[] = [];
  let contextId: string | undefined;
  for (const text of texts) {
    const { result } = await callA2a(platform(), agent, 'message/send', userMessage(text, { contextId }));
    contextId = result.contextId;
    answers.push(answerOf(result));
  }
  return answers;
}

const conversations = {
  'support-agent': [['My name is Ada'], ['Nice to meet you, Ada. How can I help?']],
  'tool-calling-agent': [
    ['How many hours are there between 2028-02-01 and 2028-03-01?', 'What time is it in Foo/Bar?'],
    ['The answer is 696.', expect.stringContaining('That did not work: ')],
  ],
  'retrieval-agent': [
    [
      'When does the office open?',
      'Remember: the harbour office opens at nine',
      'When does the office open?',
    ],
    [
      'I have no note about that. Tell me with "Remember: …".',
      'Noted: the harbour office opens at nine',
      'According to my notes: the harbour office opens at nine',
    ],
  ],
  'supervisor-agent': [
    ['Write a note about Norway', 'And Peru?'],
    ['Norway, home of 6 million people, is governed from Oslo.', 'Peru: Lima, 34 million people'],
  ],
  'typescript-starter': [
    ['hi', 'again'],
    ['Hello! You said "hi". That was turn 1.', 'Hello! You said "again". That was turn 2.'],
  ],
} as const;

test.each(Object.entries(conversations))(
  'when a template is deployed, then its agent answers: %s',
  async (template_id, [said, answered]) => {
    expect(await deployed(template_id)).toMatchObject({ status: 'DEPLOYED', status_reason: null });
    expect(await talk(template_id, ...said)).toEqual(answered);
  },
);

test('when approval-agent is to act, then it asks first', async () => {
  expect(await deployed('approval-agent')).toMatchObject({ status: 'DEPLOYED' });
  const asked = await callA2a(platform(), 'approval-agent', 'message/send', userMessage('Refund 20 euros'));
  expect(asked.result.status.state).toBe('input-required');
  const { id: taskId, contextId } = asked.result;
  const yes = userMessage('yes', { taskId, contextId });
  const done = await callA2a(platform(), 'approval-agent', 'message/send', yes);
  expect(answerOf(done.result)).toBe('Done: 20 euros are on their way.');
});

test('when there is a key, then the tool-calling agent asks a model and is not built again', async () => {
  const { port } = model();
  await deploy('tool-calling-agent', {
    name: 'with-a-model',
    secrets: [
      { name: 'OPENAI_API_KEY', value: 'sk-example' },
      { name: 'OPENAI_BASE_URL', value: `http://127.0.0.1:${port}/v1` },
    ],
  });
  const revision = await deployed('with-a-model');
  expect(revision.phases.map(({ phase }) => phase)).not.toContain('install');
  const asked = userMessage('What is six times seven?');
  const { result } = await callA2a(platform(), 'with-a-model', 'message/send', asked);
  expect(answerOf(result), JSON.stringify(result.status)).toBe('The model read 42.');
});

test('when templates are listed, then no other in JavaScript is left out', async () => {
  const { items } = await ask<{ items: Template[] }>('/v2/templates');
  const listed = items.map(({ id }) => id).filter((id) => !id.startsWith('python-'));
  expect(listed).toEqual([...Object.keys(conversations), 'approval-agent'].toSorted());
});

/** Stands for a model of OpenAI: calls a tool, and then says what it gave. */
async function answerAsModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()) as {
    messages: { role: string; content: string }[];
    stream?: boolean;
  };
  const last = messages.at(-1);
  const call = { name: 'calculate', arguments: '{"operation":"multiply","a":6,"b":7}' };
  const message =
    last?.role === 'tool'
      ? { role: 'assistant', content: `The model read ${last.content}.` }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: call }],
        };
  const answer = (said: object) =>
    JSON.stringify({
      id: `answer-${messages.length}`,
      created: 0,
      model: 'any',
      choices: [{ index: 0, finish_reason: 'stop', ...said }],
    });
  response.setHeader('content-type', stream === true ? 'text/event-stream' : 'application/json');
  response.end(
    stream === true ? `data: ${answer({ delta: message })}\n\ndata: [DONE]\n\n` : answer({ message }),
  );
}
