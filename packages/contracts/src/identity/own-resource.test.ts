import { expect, test } from 'vitest';
import { isOwnResource } from './oauth.ts';

test.each([
  ['https://roadstead.example', true],
  ['https://roadstead.example/', true],
  ['https://roadstead.example/mcp', true],
  ['https://roadstead.example/mcp/', true],
  ['HTTPS://Roadstead.Example/mcp', true],
  ['https://roadstead.example:443/mcp', true],
  ['https://roadstead.example/mcp?toolsets=all&x=1', true],
  ['https://roadstead.example//mcp', true],
  ['https://roadstead.example/api//mcp//', true],
  ['https://roadstead.example/./mcp', true],
  ['https://roadstead.example/MCP', false],
  ['https://roadstead.example/mcp/more', false],
  ['https://roadstead.example/mcp#part', false],
  ['https://roadstead.example/mcp#', false],
  ['https://ada@roadstead.example/mcp', false],
  ['https://roadstead.example:444/mcp', false],
  ['http://roadstead.example/mcp', false],
  ['https://roadstead.example.net/mcp', false],
  ['https://elsewhere.example/?https://roadstead.example/mcp', false],
  ['//roadstead.example/mcp', false],
  ['mcp', false],
  ['', false],
])('when a resource is %s, then it is ours: %s', (resource, expected) => {
  expect(isOwnResource(resource, 'https://roadstead.example')).toBe(expected);
});

test('when the host is this machine, then all of its names count, each with its port', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
    expect(isOwnResource(`http://${host}:4100/mcp`, 'http://127.0.0.1:4100')).toBe(true);
  expect(isOwnResource('http://localhost:4101/mcp', 'http://127.0.0.1:4100')).toBe(false);
});
