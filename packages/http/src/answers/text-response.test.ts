import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../connections/http-server.ts';
import { toNodeListener } from '../connections/node-listener.ts';
import { jsonResponse, TextResponse } from './text-response.ts';

const TEXT = '{"of":"ä"}';

test.each<[string, (response: Response) => Promise<unknown>, unknown]>([
  ['text', (response) => response.text(), TEXT],
  ['json', (response) => response.json(), { of: 'ä' }],
  ['bytes', async (response) => Buffer.from(await response.bytes()).toString(), TEXT],
  ['arrayBuffer', async (response) => Buffer.from(await response.arrayBuffer()).toString(), TEXT],
  ['blob', async (response) => (await response.blob()).text(), TEXT],
  ['a clone', async (response) => response.clone().text(), TEXT],
  ['another one made of it', async (response) => new Response(response.body, response).text(), TEXT],
])(
  'when a text response is read, then it reads like any other, and once: %s',
  async (_name, read, expected) => {
    const response = jsonResponse(TEXT, { status: 201, headers: { 'x-a': 'b' } });
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, response.headers.get('x-a'), response.bodyUsed]).toEqual([
      201,
      true,
      'b',
      false,
    ]);
    await expect(read(response)).resolves.toEqual(expected);
    expect(TextResponse.writtenBy(response)).toBeUndefined();
  },
);

test('when a server writes a text, then length and headers go with it; of HEAD only these', async () => {
  const listener = toNodeListener(async () => {
    const response = jsonResponse(TEXT, { status: 202 });
    response.headers.append('set-cookie', 'a=1');
    response.headers.append('set-cookie', 'b=2');
    return response;
  });
  await using server = await listen(listener, { host: '127.0.0.1', port: 0 });
  const ask = async (method: string) => {
    const [answer] = (await once(request({ port: server.port, method, agent: false }).end(), 'response')) as [
      IncomingMessage,
    ];
    const chunks = (await answer.toArray()) as Buffer[];
    const { 'content-length': length, 'content-type': type, 'set-cookie': cookies } = answer.headers;
    return [answer.statusCode, length, type, cookies, Buffer.concat(chunks).toString()];
  };
  const head = [202, '11', 'application/json', ['a=1', 'b=2']];
  expect(await ask('GET')).toEqual([...head, TEXT]);
  expect(await ask('HEAD')).toEqual([...head, '']);
});
