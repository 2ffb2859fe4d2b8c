import { Client } from '@langchain/langgraph-sdk';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { fixtureRevision, openAgent } from '../testing/open-agent.ts';

/** What was found wrong with servers of this API and published, tried here by every door that leads there. */

const agent = useFixture(openAgent);

let served: string | undefined;

/** Keeps the host where the rules are the same as before. */
async function serve(auth_file: string): Promise<void> {
  if (served === auth_file) return;
  served = auth_file;
  const spec = fixtureRevision(crypto.randomUUID());
  const auth = {
    path: auth_file,
    disable_studio_auth: false,
    openapi: null,
    cache: null,
    allow_langsmith_api_keys: false,
  };
  await agent().server.prepare({ ...spec, project: { ...spec.project, auth } }, new AbortController().signal);
  await agent().server.activate(spec.revision_id, new AbortController().signal);
}

function clientOf(user: string): Client {
  const fetch = (...sent: ConstructorParameters<typeof Request>) =>
    agent().server.fetch(new Request(...sent));
  return new Client({
    apiUrl: 'http://roadstead.test',
    defaultHeaders: { authorization: `Bearer ${user}` },
    callerOptions: { maxRetries: 0, fetch },
  });
}

async function post(path: string, { by, body }: { readonly by: string; readonly body: object }) {
  const answer = await agent().server.fetch(
    new Request(`http://roadstead.test${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${by}`,
      },
      body: JSON.stringify(body),
    }),
  );
  return { status: answer.status, text: await answer.text() };
}

const input = { messages: [{ role: 'user', content: 'hello' }] };
const assistant_id = 'agent';
const create = { assistant_id, input, if_not_exists: 'create' };
const message = (contextId?: string) => ({
  kind: 'message',
  role: 'user',
  messageId: crypto.randomUUID(),
  parts: [{ kind: 'text', text: 'hello' }],
  ...(contextId === undefined ? {} : { contextId }),
});
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const tool = rpc('tools/call', { name: 'agent', arguments: input });

/** Every way to a run on a thread that is named. */
const doors: Readonly<Record<string, (thread_id: string) => readonly [path: string, body: object]>> = {
  'a run': (id) => [`/threads/${id}/runs`, create],
  'a run that is streamed': (id) => [`/threads/${id}/runs/stream`, create],
  'a run that is waited for': (id) => [`/threads/${id}/runs/wait`, create],
  'a command': (id) => [
    `/threads/${id}/commands`,
    { id: 1, method: 'run.start', params: { assistant_id, input } },
  ],
  'a cron': (id) => [`/threads/${id}/runs/crons`, { assistant_id, input, schedule: '0 0 1 1 *' }],
  'a message of A2A 0.3': (id) => ['/a2a/agent', rpc('message/send', { message: message(id) })],
  'a message of A2A 1.0': (id) => [
    '/a2a/agent',
    rpc('SendMessage', {
      message: { ...message(id), kind: undefined, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    }),
  ],
  'a streamed message': (id) => ['/a2a/agent', rpc('message/stream', { message: message(id) })],
};

test.for(Object.entries(doors))(
  'when somebody names the thread of another in %s, then nothing runs on it',
  async ([, door]) => {
    await serve('./users.js:auth');
    const [alice, bob] = [clientOf('alice'), clientOf('bob')];
    const { thread_id } = await alice.threads.create();
    await alice.runs.wait(thread_id, 'agent', { input });
    const before = await alice.threads.getState(thread_id);
    const [path, body] = door(thread_id);
    const { text } = await post(path, { by: 'bob', body });
    expect(text).not.toContain('2: hello');
    expect(await alice.runs.list(thread_id)).toHaveLength(1);
    expect(await alice.threads.getState(thread_id)).toEqual(before);
    expect((await alice.crons.search({ threadId: thread_id })).length).toBe(0);
    await expect(bob.threads.get(thread_id)).rejects.toMatchObject({ status: 404 });
  },
);

/** Every way to a run, where no thread needs to be there before. */
const beginnings: Readonly<Record<string, () => readonly [path: string, body: object]>> = {
  ...Object.fromEntries(Object.entries(doors).map(([name, door]) => [name, () => door(crypto.randomUUID())])),
  'a run without a thread': () => ['/runs', { assistant_id, input }],
  'a run without a thread that is kept': () => ['/runs/wait', { assistant_id, input, on_completion: 'keep' }],
  'a batch': () => ['/runs/batch', [{ assistant_id, input }]],
  'a cron without a thread': () => ['/runs/crons', { assistant_id, input, schedule: '0 0 1 1 *' }],
  'a tool': () => ['/mcp', tool],
};

test.for(Object.entries(beginnings))(
  'when somebody may make threads but run nothing, then %s runs nothing and makes none',
  async ([name, begin]) => {
    await serve('./readers.js:auth');
    const carol = `carol-${name.replaceAll(/\W/g, '-')}`;
    const [path, body] = begin();
    const { status, text } = await post(path, { by: carol, body });
    expect([400, 403, 404].includes(status) || /"(?:isError|error)":/.test(text), `${status} ${text}`).toBe(
      true,
    );
    expect(await clientOf(carol).threads.search()).toEqual([]);
    expect(await clientOf(carol).crons.search()).toEqual([]);
  },
);

test.for([
  ['put', (client: Client) => client.store.putItem(['notes'], 'one', { text: 'x' })],
  ['get', (client: Client) => client.store.getItem(['notes'], 'one')],
  ['delete', (client: Client) => client.store.deleteItem(['notes'], 'one')],
  ['search', (client: Client) => client.store.searchItems(['notes'])],
] as const)(
  'when a handler makes a namespace that can’t be, then %s is refused as bad input',
  async ([, ask]) => {
    await serve('./readers.js:auth');
    await expect(ask(clientOf('carol@x.org'))).rejects.toMatchObject({ status: 422 });
    await clientOf('carol').store.putItem(['notes'], 'one', { text: 'hers' });
    expect((await clientOf('dave').store.searchItems([])).items).toEqual([]);
  },
);
