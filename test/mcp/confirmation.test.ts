import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startBothServices } from './both-services.ts';
import { type Answer, type Arguments, LATEST } from './mcp-fixture.ts';

/** Whoever calls a tool that acts is asked first, in every way in which a client can ask its user. */

const both = useFixture(startBothServices);
const api = useFixture(() => both().traces.listen());

interface Reply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: { readonly confirm: boolean };
}
interface Asker extends AsyncDisposable {
  /** What the user was asked. */
  readonly asked: string[];
  readonly call: (given: Arguments) => Promise<Answer>;
}

const info = { name: 'test', version: '1' };
const asking = { capabilities: { elicitation: { form: {} } } };
const launcher = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));
const process_ = () => ({
  command: process.execPath,
  args: [launcher, 'mcp', '--toolsets', 'acting'],
  env: {
    PATH: process.env['PATH'] ?? '',
    SERVICE_API_KEY: 'key-11111111-1111-4111-8111-111111111111',
    SERVICE_ENDPOINT: api().url,
  },
});

const ways = ['HTTP, 2026', 'stdio, 2026', 'stdio, 2025'] as const;

async function connect(way: (typeof ways)[number], reply: Reply): Promise<Asker> {
  const asked: string[] = [];
  const answer = ({ params }: { params: { message: string } }) => {
    asked.push(params.message);
    return { ...reply };
  };
  if (way === 'stdio, 2025') {
    const client = new LegacyClient(info, asking);
    client.setRequestHandler(ElicitRequestSchema, async (request) => answer(request));
    await client.connect(new LegacyStdio(process_()));
    return {
      asked,
      call: async (given) => client.callTool({ name: 'add_dataset', arguments: given }) as Promise<Answer>,
      [Symbol.asyncDispose]: () => client.close(),
    };
  }
  const client = new ModernClient(info, { ...asking, versionNegotiation: { mode: { pin: LATEST } } });
  client.setRequestHandler('elicitation/create', async (request) => answer(request));
  const { url, headers } = both();
  await client.connect(
    way === 'HTTP, 2026' ? new ModernHttp(url, { requestInit: { headers } }) : new ModernStdio(process_()),
  );
  return {
    asked,
    call: async (given) => client.callTool({ name: 'add_dataset', arguments: given }) as Promise<Answer>,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const named = async (name: string) => both().traces.client().listDatasets({ query: { name } });

test.each(ways)(
  'when the caller is %s, then the user is asked what happens, and it does once they agree',
  async (way) => {
    await using client = await connect(way, { action: 'accept', content: { confirm: true } });
    const answer = await client.call({ name: `agreed by ${way}`, examples: [{ inputs: { a: 1 } }] });
    expect(client.asked).toEqual([`Make the dataset “agreed by ${way}” with 1 example?`]);
    expect(answer.structuredContent).toMatchObject({ example_count: 1 });
    expect(await named(`agreed by ${way}`)).toHaveLength(1);
  },
);

const refusals: readonly Reply[] = [
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept', content: { confirm: false } },
];
test.each(ways.flatMap((way) => refusals.map((reply) => [way, reply] as const)))(
  'when the caller is %s and the user answers %j, then nothing happens',
  async (way, reply) => {
    await using client = await connect(way, reply);
    const answer = await client.call({ name: 'unwanted' });
    expect(client.asked).toHaveLength(1);
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'declined' } } });
    expect(await named('unwanted')).toEqual([]);
  },
);

test.each(ways)(
  'when the model says by %s that the user agrees, then a client that can ask them still does',
  async (way) => {
    await using client = await connect(way, { action: 'decline' });
    const answer = await client.call({ name: 'said by the model', confirm: true });
    expect(client.asked).toHaveLength(1);
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'declined' } } });
    expect(await named('said by the model')).toEqual([]);
  },
);

test('when a client can’t ask, then it is told what would happen, and how to agree', async () => {
  const client = new LegacyClient(info);
  const { url, headers } = both();
  await client.connect(new LegacyHttp(url, { requestInit: { headers } }));
  const call = (given: Arguments) =>
    client.callTool({ name: 'add_dataset', arguments: given }) as Promise<Answer>;
  expect(await call({ name: 'unasked' })).toMatchObject({
    isError: true,
    structuredContent: {
      error: {
        code: 'confirmation_required',
        message: expect.stringContaining('Make the dataset “unasked” with 0 examples?') as string,
        hint: expect.stringContaining('confirm: true') as string,
      },
    },
  });
  expect(await named('unasked')).toEqual([]);
  expect(await call({ name: 'unasked', confirm: 'true' })).toMatchObject({
    structuredContent: { name: 'unasked' },
  });
  await client.close();
});

interface Raw {
  readonly result?: {
    readonly resultType: string;
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number };
}

async function raw(given: Arguments, more: object = {}): Promise<Raw> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': LATEST,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': asking.capabilities,
  };
  const answer = await fetch(both().url, {
    method: 'POST',
    headers: {
      ...both().headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': LATEST,
      'mcp-method': 'tools/call',
      'mcp-name': 'add_dataset',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'add_dataset', arguments: given, ...more, _meta: meta },
    }),
  });
  const text = await answer.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Raw;
}

const agreement = { confirmation: { action: 'accept', content: { confirm: true } } };

test('when a user agrees, then that counts for the call that was asked about, and for no other', async () => {
  const { result } = await raw({ name: 'sealed' });
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) as string });
  const requestState = result?.requestState ?? '';
  // Another call asks again.
  expect(await raw({ name: 'another' }, { requestState, inputResponses: agreement })).toMatchObject({
    result: { resultType: 'input_required' },
  });
  // A call without the sealed state asks again.
  expect(await raw({ name: 'sealed' }, { inputResponses: agreement })).toMatchObject({
    result: { resultType: 'input_required' },
  });
  const forged = `${requestState.slice(0, -4)}AAAA`;
  expect(await raw({ name: 'sealed' }, { requestState: forged, inputResponses: agreement })).toMatchObject({
    error: { code: -32_602 },
  });
  expect(await named('sealed')).toEqual([]);
  const done = await raw({ name: 'sealed' }, { requestState, inputResponses: agreement });
  expect(done.result?.isError).toBeUndefined();
  expect(await named('sealed')).toHaveLength(1);
});
