import { describe, expect, test } from 'vitest';
import { acceptsStream, answersIn } from './form-rules.ts';
import { withoutNulls } from './null-rules.ts';
import { paramsRefusal } from './params-rules.ts';

test.each<[unknown, unknown]>([
  [
    { id: 1, method: 'tools/list', params: null },
    { id: 1, method: 'tools/list' },
  ],
  [
    { id: 1, params: { cursor: null } },
    { id: 1, params: {} },
  ],
  [{ params: { name: 'a', arguments: null } }, { params: { name: 'a' } }],
  [
    { params: { name: 'a', arguments: { at: null, in: { b: null } } } },
    { params: { name: 'a', arguments: { at: null, in: { b: null } } } },
  ],
  [
    { params: { capabilities: { roots: null, sampling: {} }, clientInfo: { name: 'a', title: null } } },
    { params: { capabilities: { sampling: {} }, clientInfo: { name: 'a' } } },
  ],
  [{ params: { _meta: { progressToken: null } } }, { params: { _meta: {} } }],
  [{ params: { list: [{ a: null }, null] } }, { params: { list: [{}, null] } }],
  [
    [{ params: null }, { params: { cursor: null } }],
    [{}, { params: {} }],
  ],
  [
    { id: null, result: null },
    { id: null, result: null },
  ],
  [null, null],
  ['text', 'text'],
])('when a message is %j, then it is read as %j', (sent, read) => {
  expect(withoutNulls(sent)).toEqual(read);
});

test.each([
  ['application/json, text/event-stream', true],
  ['text/event-stream', true],
  ['Text/Event-Stream; q=0.5', true],
  ['application/json', false],
  ['application/*', false],
  ['*/*', false],
  ['', false],
  [null, false],
])('when the accepted types are %j, then a stream is %s', (accept, expected) => {
  expect(acceptsStream(accept)).toBe(expected);
});

describe('the answers in a stream', () => {
  test('when progress comes before them, then only they are taken', () => {
    const stream = [
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n',
      ': keep alive\n\n',
      'id: 7\ndata: \n\n',
      'event: message\r\ndata: {"jsonrpc":"2.0","id":1,\r\ndata: "result":{"a":"\\u2028"}}\r\n\r\n',
    ].join('');
    expect(answersIn(stream)).toEqual([{ jsonrpc: '2.0', id: 1, result: { a: '\u2028' } }]);
  });
});

const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
test.each<[string, object, string | undefined]>([
  ['tools/list', {}, undefined],
  ['tools/list', { cursor: 5 }, 'params.cursor must be a text.'],
  ['prompts/list', { cursor: {} }, 'params.cursor must be a text.'],
  ['resources/list', { cursor: [] }, 'params.cursor must be a text.'],
  ['resources/templates/list', { cursor: true }, 'params.cursor must be a text.'],
  ['tools/call', { name: 'a', arguments: {} }, undefined],
  ['tools/call', {}, 'params.name must be a text.'],
  ['tools/call', { name: 'a', arguments: 'b' }, 'params.arguments must be an object.'],
  ['prompts/get', { name: 'a', arguments: { b: 1 } }, 'params.arguments.b must be a text.'],
  ['resources/read', {}, 'params.uri must be a text.'],
  ['initialize', client, undefined],
  ['initialize', { ...client, clientInfo: { name: 'a' } }, 'params.clientInfo.version must be a text.'],
  ['initialize', { ...client, capabilities: undefined }, 'params.capabilities must be an object.'],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'b', value: '' } },
    undefined,
  ],
  ['initialize', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, undefined],
  ['completion/complete', {}, 'params.ref must be a prompt with its name, or a resource with its uri.'],
  ['toString', {}, undefined],
])('when %s is sent with %j, then it is refused by: %s', (method, params, message) => {
  const refusal = paramsRefusal({ jsonrpc: '2.0', id: 1, method, params });
  expect(refusal?.error.message).toBe(message);
});
