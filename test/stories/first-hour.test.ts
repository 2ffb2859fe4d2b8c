import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SendMessageRequest as Request1, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useFixture } from '@roadstead/testing';
import { A2AClient } from 'a2a-sdk-v03/client';
import { Client as LangSmith } from 'langsmith';
import { describe, expect, test } from 'vitest';
import { assistantIdOf } from '@roadstead/kit';
import { answerOf, callA2a, dataHome, processesOf, startPlatform, userMessage } from '../support/platform.ts';
import { RestartedPlatform } from '../support/restarted-platform.ts';

/** The story of a new user, from the first start to the second, with the official clients. */

const home = useFixture(dataHome);
const running = useFixture(() => RestartedPlatform.start(home().path, { args: ['--example'] }));
const platform = () => running().current;

const agentUrl = (slug: string) => `${platform().url}/agents/${slug}/a2a/${assistantIdOf('agent')}/`;

test('when the platform first starts, then it deploys the examples and says what to do next', () => {
  const said = platform().output();
  for (const phrase of [
    'source',
    'install',
    'build',
    'start',
    'health',
    'switch',
    'DEPLOYED',
    'message/send',
    '/mcp',
    'LANGSMITH_ENDPOINT',
    '/agents/support-agent',
    'python-starter is an agent in Python',
  ])
    expect(said).toContain(phrase);
  expect(said).not.toContain(platform().key);
});

describe('talking over A2A', () => {
  test('when curl talks to an agent, then the agent remembers the conversation and calls a tool', async () => {
    const first = await callA2a(platform(), 'support-agent', 'message/send', userMessage('My name is Ada'));
    const { contextId } = first.result;
    const second = await callA2a(
      platform(),
      'support-agent',
      'message/send',
      userMessage('What is my name?', { contextId }),
    );
    expect(answerOf(second.result)).toBe('Your name is Ada.');
    const third = await callA2a(
      platform(),
      'support-agent',
      'message/send',
      userMessage('Where is my order 1042?', { contextId }),
    );
    expect(answerOf(third.result)).toContain('order 1042 is out for delivery');
    expect(
      (await callA2a(platform(), 'support-agent', 'tasks/get', { id: third.result.id })).result.status.state,
    ).toBe('completed');
  });

  test('when @a2a-js/sdk 1.3.0 sends, streams and is asked, then the agent answers', async () => {
    const options = { fetchImpl: platform().fetch };
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new JsonRpcTransportFactory(options)],
        cardResolver: new DefaultAgentCardResolver(options),
      }),
    );
    const request = (text: string, more: object = {}): Request1 =>
      SendMessageRequest.fromJSON({
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
      });
    const support = await factory.createFromUrl(agentUrl('support-agent'));
    const events = await Array.fromAsync(support.sendMessageStream(request('Hello there')));
    expect(events[0]?.payload?.$case).toBe('task');
    expect(JSON.stringify(events)).toContain('Hello there');
    const approval = await factory.createFromUrl(agentUrl('approval-agent'));
    const asked = await approval.sendMessage(request('Refund 30 euros'));
    if (!('status' in asked)) throw new Error('no task');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = await approval.sendMessage(request('yes', { taskId: asked.id, contextId: asked.contextId }));
    expect(JSON.stringify(done)).toContain('30 euros are on their way');
  });

  test('when the older @a2a-js/sdk 0.3.14 does the same, then the agent answers', async () => {
    const card = `${platform().url}/agents/support-agent/.well-known/agent-card.json`;
    const client = await A2AClient.fromCardUrl(card, { fetchImpl: platform().fetch });
    const sent = await client.sendMessage(userMessage('My name is Bo') as never);
    expect(JSON.stringify(sent)).toContain('Nice to meet you, Bo');
    const events = await Array.fromAsync(
      client.sendMessageStream(userMessage('Where is my order 7?') as never),
    );
    expect(events.at(-1)).toMatchObject({
      kind: 'status-update',
      final: true,
      status: { state: 'completed' },
    });
  });

  test('when there is no key, a bad one or no such agent, then the call is refused', async () => {
    expect((await fetch(agentUrl('support-agent'), { method: 'POST' })).status).toBe(401);
    expect(
      (await fetch(agentUrl('support-agent'), { method: 'POST', headers: { 'x-api-key': 'rs_wrong' } }))
        .status,
    ).toBe(401);
    expect((await platform().fetch(`${platform().url}/agents/nobody/ok`)).status).toBe(404);
  });
});

describe('the trace of a conversation', () => {
  test('when an agent talked, then the LangSmith SDK and MCP read its trace at once', async () => {
    const contextId = crypto.randomUUID();
    await callA2a(platform(), 'support-agent', 'message/send', userMessage('My name is Cy', { contextId }));
    await callA2a(
      platform(),
      'support-agent',
      'message/send',
      userMessage('What is my name?', { contextId }),
    );
    const langsmith = new LangSmith({ apiUrl: `${platform().url}/api`, apiKey: platform().key });
    const roots = async () => {
      const runs = await Array.fromAsync(
        langsmith.listRuns({ projectName: 'support-agent', isRoot: true, limit: 100 }),
      );
      return runs.filter(
        (run) =>
          (run.extra as { metadata?: { thread_id?: string } } | undefined)?.metadata?.thread_id === contextId,
      );
    };
    // The tracer sends within a fraction of a second; how fast a machine does it is none of a test's business.
    await expect.poll(async () => (await roots()).length).toBe(2);

    const call = {
      name: 'get_thread_history',
      arguments: { thread_id: contextId, project_name: 'support-agent', page_number: 1 },
    };
    const contents = [
      'My name is Cy',
      'Nice to meet you, Cy. How can I help?',
      'What is my name?',
      'Your name is Cy.',
    ];
    const said = (result: unknown) =>
      (result as { structuredContent: { result: { content: string }[] } }).structuredContent.result.map(
        (one) => one.content,
      );
    const headers = { 'SERVICE-API-KEY': platform().key };

    const modern = new ModernClient({ name: 'story', version: '1' });
    await modern.connect(new ModernTransport(new URL(`${platform().url}/mcp`), { requestInit: { headers } }));
    const { tools } = await modern.listTools();
    expect(tools.map((tool) => tool.name)).toContain(call.name);
    expect(said(await modern.callTool(call))).toEqual(contents);
    await modern.close();

    const legacy = new LegacyClient({ name: 'story', version: '1' });
    await legacy.connect(new LegacyTransport(new URL(`${platform().url}/mcp`), { requestInit: { headers } }));
    expect(said(await legacy.callTool(call))).toEqual(contents);
    const projects = await legacy.callTool({ name: 'list_projects', arguments: { limit: 10 } });
    expect(JSON.stringify(projects.structuredContent)).toContain('support-agent');
    const runs = await legacy.callTool({
      name: 'fetch_runs',
      arguments: { project_name: 'support-agent', limit: 5, is_root: 'true' },
    });
    expect((runs.structuredContent as { runs: unknown[] }).runs.length).toBeGreaterThan(0);
    const filtered = await legacy.callTool({
      name: 'fetch_runs',
      arguments: { project_name: 'support-agent', limit: 5, filter: 'eq(name, "x")' },
    });
    expect(filtered.structuredContent).toMatchObject({ runs: [], has_more: false });
    await legacy.close();

    const stdio = new LegacyClient({ name: 'story', version: '1' });
    const launcher = join(fileURLToPath(new URL('../../', import.meta.url)), 'bin', 'roadstead.mjs');
    await stdio.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [launcher, 'mcp'],
        env: {
          PATH: process.env['PATH'] ?? '',
          SERVICE_API_KEY: platform().key,
          SERVICE_ENDPOINT: `${platform().url}/api`,
        },
      }),
    );
    expect(said(await stdio.callTool(call))).toEqual(contents);
    await stdio.close();

    const metrics = await (await platform().fetch(`${platform().url}/metrics`)).text();
    for (const service of ['identity', 'control-plane', 'observability', 'mcp-server'])
      expect(metrics).toContain(`roadstead_requests_total{service="${service}"`);
    expect(await (await fetch(`${platform().url}/ok`)).json()).toEqual({ ok: true, warnings: [] });
  });
});

describe('stopping and starting again', () => {
  test('when the folder or the port is in use, then a second platform is refused in one sentence', async () => {
    await expect(startPlatform(home().path)).rejects.toThrow('Another Roadstead runs on the data folder');
    await using other = await dataHome();
    await expect(startPlatform(other.path, { port: Number(new URL(platform().url).port) })).rejects.toThrow(
      'is in use',
    );
    expect(await processesOf(other.path)).toEqual([]);
  });

  test('when the platform stops, then no process is left, and it comes back without building', async () => {
    const begun = await callA2a(platform(), 'support-agent', 'message/send', userMessage('My name is Di'));
    expect(await platform().stop()).toBe(0);
    await expect.poll(() => processesOf(home().path)).toEqual([]);
    await running().startAgain({ args: ['--example'] });
    expect(platform().output()).not.toContain('install');
    const again = await callA2a(
      platform(),
      'support-agent',
      'message/send',
      userMessage('What is my name?', { contextId: begun.result.contextId }),
    );
    expect(answerOf(again.result)).toBe('Your name is Di.');
    const langsmith = new LangSmith({ apiUrl: `${platform().url}/api`, apiKey: platform().key });
    expect(await langsmith.hasProject({ projectName: 'support-agent' })).toBe(true);
  });
});
