import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@langchain/langgraph-sdk';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { kept, pythonWith } from '@roadstead/testing/processes';
import { dataHome, startPlatform } from '../support/platform.ts';

/** Frameworks of others and agents deployed here: ADK and AG-UI call one, and one is made with deepagents. */

const MINUTES_5 = 300_000;
const run = promisify(execFile);
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(async () => {
  for (const name of ['gate', 'deep']) {
    const folder = fileURLToPath(new URL(`../agents/${name}`, import.meta.url));
    const deployed = await platform().run('deploy', folder, '--name', name);
    if (deployed.code !== 0) throw new Error(deployed.stderr);
  }
});

const addressOf = (name: string) => `${platform().url}/agents/${name}`;

const ADK = `
import asyncio, json, os
import httpx
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

def text_of(event):
    parts = event.content.parts if event.content and event.content.parts else []
    return "".join(part.text or "" for part in parts if not part.thought)

async def main():
    async with httpx.AsyncClient(headers={"X-Api-Key": os.environ["KEY"]}, timeout=60) as http:
        card = os.environ["AGENT"] + "/a2a/agent/.well-known/agent-card.json"
        agent = RemoteA2aAgent(name="remote", agent_card=card, httpx_client=http)
        runner = InMemoryRunner(agent=agent, app_name="test")
        session = await runner.session_service.create_session(app_name="test", user_id="u")
        for said in json.loads(os.environ["SAYS"]):
            message = types.Content(role="user", parts=[types.Part(text=said)])
            heard, errors = [], []
            async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
                if event.error_message: errors.append(event.error_message)
                if text_of(event): heard.append([bool(event.partial), text_of(event)])
            print(json.dumps([said, heard, errors]), flush=True)

asyncio.run(main())
`;

test('when an agent of ADK talks to an agent that is deployed here, then it is answered', async ({
  skip,
}) => {
  const python = await pythonWith(['google-adk[a2a]==2.13.0']);
  if (typeof python === 'string') return skip(python);
  const written = await python.run(ADK, {
    AGENT: addressOf('gate'),
    KEY: platform().key,
    SAYS: JSON.stringify(['hello', 'ask', 'Ann']),
  });
  const turns = written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
  expect(turns).toEqual([
    ['hello', expect.arrayContaining([[false, 'hello']]), []],
    ['ask', expect.arrayContaining([[true, 'Let me see.']]), []],
    ['Ann', expect.arrayContaining([[false, 'Hello, Ann!']]), []],
  ]);
});

interface AguiEvent {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
}
interface AguiAgent {
  threadId: string;
  addMessage(message: object): void;
  runAgent(
    parameters: object,
    subscriber: { onEvent(told: { readonly event: AguiEvent }): void },
  ): Promise<{ readonly newMessages: readonly { readonly content: string }[] }>;
}
interface AguiModule {
  readonly LangGraphAgent: new (config: object) => AguiAgent;
}

async function installAgui(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const packages = ['@ag-ui/langgraph@0.0.43', '@ag-ui/client@1.0.0', '@langchain/core@1.2.13'];
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    timeout: MINUTES_5,
  });
}

test('when a page of AG-UI talks to an agent that is deployed here, then it is answered', async ({
  skip,
}) => {
  const folder = await kept('ag-ui-langgraph-0.0.43', installAgui).catch(() => undefined);
  if (folder === undefined) return skip('AG-UI can’t be had.');
  const { resolve } = createRequire(join(folder, 'package.json'));
  const { LangGraphAgent } = (await import(pathToFileURL(resolve('@ag-ui/langgraph')).href)) as AguiModule;
  const agent = new LangGraphAgent({
    deploymentUrl: addressOf('gate'),
    langsmithApiKey: platform().key,
    graphId: 'agent',
  });
  agent.threadId = crypto.randomUUID();
  const turn = async (parameters: object) => {
    const events: AguiEvent[] = [];
    const { newMessages } = await agent.runAgent(parameters, {
      onEvent: ({ event }) => void events.push(event),
    });
    return {
      said: newMessages.map(({ content }) => content),
      asked: events.flatMap(({ name, value }) => (name === 'on_interrupt' ? [value] : [])),
      ends: [events.at(0)?.type, events.at(-1)?.type],
    };
  };
  const says = (content: string) => agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  const ends = ['RUN_STARTED', 'RUN_FINISHED'];
  says('hello');
  expect(await turn({})).toEqual({ said: ['Let me see.', 'hello'], asked: [], ends });
  says('ask');
  const question = JSON.stringify({ question: 'Who is there?' });
  expect(await turn({})).toEqual({ said: ['Let me see.'], asked: [question], ends });
  const answered = await turn({ forwardedProps: { command: { resume: 'Ann' } } });
  expect(answered).toEqual({ said: ['Hello, Ann!'], asked: [], ends });
});

test('when an agent of deepagents runs here, then it keeps its files and answers A2A', async () => {
  const client = new Client({ apiUrl: addressOf('deep'), apiKey: platform().key });
  const { thread_id } = await client.threads.create();
  const told = async (content: string) => {
    const input = { messages: [{ role: 'user', content }] };
    const state = (await client.runs.wait(thread_id, 'agent', { input })) as {
      readonly messages: readonly { readonly type: string; readonly content: string }[];
      readonly files?: Readonly<Record<string, { readonly content: string }>>;
    };
    return [state.messages.at(-1)?.content, state.files?.['/note.txt']?.content];
  };
  expect(await told('Write a note')).toEqual(['Asked 1 times.', 'It is calm.']);
  expect(await told('And now?')).toEqual(['Asked 2 times.', 'It is calm.']);
  const answer = await platform().fetch(`${addressOf('deep')}/a2a/agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          role: 'user',
          messageId: 'm1',
          contextId: thread_id,
          parts: [{ kind: 'text', text: 'And by A2A?' }],
        },
      },
    }),
  });
  expect(await answer.json()).toMatchObject({
    result: { status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'Asked 3 times.' }] }] },
  });
});
