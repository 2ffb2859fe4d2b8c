import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server of models on this machine that speaks chat completions; the model's name says how it behaves. */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Record<string, unknown>[];
  /** Calls whose connection is open. */
  open(): number;
}

export const MODEL_KEY = 'sk-key-of-the-story';

type Behaviour = (response: ServerResponse) => Promise<void> | void;

const piece = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } })}\n\n`;
const end = 'data: [DONE]\n\n';

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

const behaviours: Readonly<Record<string, Behaviour>> = {
  good: (response) => {
    stream(response).write(piece({ role: 'assistant', reasoning_content: 'A greeting, it seems.' }));
    response.write(piece({ content: '**Bon' }));
    response.write(piece({ content: 'jour**' }));
    response.end(piece({}, 'stop') + usage + end);
  },
  tools: (response) => {
    const call = (part: object) => piece({ tool_calls: [{ index: 0, ...part }] });
    stream(response).write(
      call({ id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city"' } }),
    );
    response.write(call({ function: { arguments: ':"Paris"}' } }));
    response.end(piece({}, 'tool_calls') + usage + end);
  },
  /** Begins, and never ends. */
  hang: (response) => void stream(response).write(piece({ content: 'Wait for it' })),
  refuses: (response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'No such key.' } }));
  },
};

export async function startModelServer(): Promise<ModelServer> {
  const requests: Record<string, unknown>[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    void (async () => {
      const sent = await text(request).catch(() => '');
      if (request.headers.authorization !== `Bearer ${MODEL_KEY}`) return behaviours['refuses']?.(response);
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json' });
        const data = Object.keys(behaviours).map((id) => ({ id, object: 'model' }));
        return void response.end(JSON.stringify({ object: 'list', data }));
      }
      const body = JSON.parse(sent) as Record<string, unknown>;
      requests.push(body);
      return behaviours[String(body['model'])]?.(response);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    open: () => open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
