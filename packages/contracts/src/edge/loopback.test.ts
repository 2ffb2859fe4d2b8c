import { expect, test } from 'vitest';
import { originAsAsked } from './loopback.ts';

test.each([
  ['http://127.0.0.1:4100', 'http://localhost:4100/mcp', 'http://localhost:4100'],
  ['http://localhost:4100', 'http://[::1]:4100/mcp', 'http://[::1]:4100'],
  ['http://127.0.0.1:4100', 'http://localhost:4101/mcp', 'http://127.0.0.1:4100'],
  ['http://127.0.0.1:4100', 'https://localhost:4100/mcp', 'http://127.0.0.1:4100'],
  ['http://127.0.0.1:4100', 'http://localhost.evil.example:4100/mcp', 'http://127.0.0.1:4100'],
  ['https://agents.example', 'http://localhost:4100/mcp', 'https://agents.example'],
  ['https://agents.example', 'https://evil.example/mcp', 'https://agents.example'],
])('when %s is asked at %s, then its origin is shown as %s', (origin, request_url, shown) => {
  expect(originAsAsked(origin, request_url)).toBe(shown);
});
