import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProviderKind } from '@roadstead/contracts/observability';
import { wireAnswers, wireStreams } from './model-wires.ts';

/** A provider of models on this machine that speaks the three APIs; the model’s name says how it behaves. */

export const MODEL_KEY = 'sk-the-key-of-the-workspace';

interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface FakeModels extends AsyncDisposable {
  readonly url: string;
  readonly requests: ModelRequest[];
  /** Calls whose connection is open. */
  open(): number;
  /** Lets calls of the models `held` and `flows` go on. */
  release(): void;
  baseOf(kind: ProviderKind): string;
}

const bases: Readonly<Record<ProviderKind, string>> = { openai: '/v1', anthropic: '', google: '/v1beta' };

export async function startFakeModels(): Promise<FakeModels> {
  const requests: ModelRequest[] = [];
  const gate = Promise.withResolvers<void>();
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    void answer(request, response, { requests, released: gate.promise });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    open: () => open,
    release: () => gate.resolve(),
    baseOf: (kind) => url + bases[kind],
    async [Symbol.asyncDispose]() {
      gate.resolve();
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

interface Behaviour {
  readonly requests: ModelRequest[];
  readonly released: Promise<void>;
}

interface FakeAnswer extends Behaviour {
  readonly kind: ProviderKind;
  readonly streams: boolean;
  readonly response: ServerResponse;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  behaviour: Behaviour,
): Promise<void> {
  const path = request.url ?? '';
  const sent = await text(request).catch(() => '');
  const body = (sent === '' ? {} : JSON.parse(sent)) as Record<string, unknown>;
  behaviour.requests.push({ path, headers: request.headers, body });
  const kind: ProviderKind = path.startsWith('/v1beta')
    ? 'google'
    : 'anthropic-version' in request.headers
      ? 'anthropic'
      : 'openai';
  const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = request.headers;
  const key = String(anthropic ?? google ?? authorization ?? '').replace('Bearer ', '');
  if (key !== MODEL_KEY)
    return refuse(kind, response, { status: 401, message: `Incorrect API key: ${key}.` });
  if (request.method === 'GET') return json(response, listings[kind]);
  const [, named] = /models\/([^:]+):/.exec(path) ?? [];
  const model = decodeURIComponent(named ?? String(body['model']));
  const streams = body['stream'] === true || path.includes(':streamGenerateContent');
  await (behaviours[model] ?? speak)({ ...behaviour, kind, streams, response }, model);
}

/** As each of them lists its models. */
const listings: Readonly<Record<ProviderKind, object>> = {
  openai: { object: 'list', data: [{ id: 'good', object: 'model', created: 1, owned_by: 'them' }] },
  anthropic: {
    data: [{ type: 'model', id: 'good', display_name: 'Good', created_at: '2026-01-01T00:00:00Z' }],
    has_more: false,
    first_id: 'good',
    last_id: 'good',
  },
  google: {
    models: [
      { name: 'models/good', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embeds', supportedGenerationMethods: ['embedContent'] },
    ],
  },
};

const behaviours: Readonly<Record<string, (speaking: FakeAnswer, model: string) => Promise<void> | void>> = {
  'status-401': ({ kind, response }) => refuse(kind, response, { status: 401, message: 'No such key.' }),
  'status-429': ({ kind, response }) =>
    refuse(kind, response, { status: 429, message: 'Too many requests.' }),
  'status-500': ({ kind, response }) => refuse(kind, response, { status: 500, message: 'It broke.' }),
  proxy: ({ response }) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
  hang: () => undefined,
  garbage: ({ response, streams }) => {
    response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' });
    response.end('data: {{{\n\n');
  },
  broken: async (speaking) => {
    const [first = ''] = wireStreams[speaking.kind]('good');
    begin(speaking).write(first);
    speaking.response.end();
  },
  'error-within': async (speaking) => {
    const [first = ''] = wireStreams[speaking.kind]('good');
    begin(speaking).write(first);
    const error = { type: 'overloaded_error', message: `Overloaded, ${MODEL_KEY}.` };
    speaking.response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
  },
  'cannot-stream': ({ kind, response }) => json(response, wireAnswers[kind]('good')),
  flows: async (speaking) => {
    const [first = '', ...others] = wireStreams[speaking.kind]('good');
    begin(speaking).write(first);
    await speaking.released;
    speaking.response.end(others.join(''));
  },
  held: async (speaking) => {
    await speaking.released;
    speak(speaking, 'good');
  },
  /** Fails once for each fake provider. */
  flaky: (speaking) => {
    if (speaking.requests.length === 1)
      refuse(speaking.kind, speaking.response, { status: 529, message: 'Overloaded.' });
    else speak(speaking, 'good');
  },
};

function speak({ kind, streams, response, ...speaking }: FakeAnswer, model: string): void {
  if (!streams) return json(response, wireAnswers[kind](model));
  // Cut where no event ends, as networks do.
  const bytes = Buffer.from(wireStreams[kind](model).join(''));
  const out = begin({ ...speaking, kind, streams, response });
  for (let at = 0; at < bytes.length; at += 7) out.write(bytes.subarray(at, at + 7));
  out.end();
}

const begin = ({ response }: FakeAnswer) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

function refuse(
  kind: ProviderKind,
  response: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  const errors: Readonly<Record<ProviderKind, object>> = {
    openai: { error: { message, type: 'invalid_request_error', param: null, code: 'code' } },
    anthropic: { type: 'error', error: { type: 'authentication_error', message }, request_id: 'req_1' },
    google: { error: { code: status, message, status: 'PERMISSION_DENIED' } },
  };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(errors[kind]));
}
