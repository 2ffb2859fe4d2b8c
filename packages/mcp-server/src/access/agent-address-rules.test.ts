import { expect, test } from 'vitest';
import { slugOf } from './agent-address-rules.ts';

const path = 'https://roadstead.example/agents/{slug}';
const host = 'https://{slug}.agents.example';
const local = 'http://127.0.0.1:4100/agents/{slug}';

test.each([
  ['https://roadstead.example/agents/support', path, 'support'],
  ['https://roadstead.example/agents/support-1a2b3c/', path, 'support-1a2b3c'],
  ['https://support.agents.example', host, 'support'],
  ['http://localhost:4100/agents/a', local, 'a'],
  ['http://[::1]:4100/agents/a', local, 'a'],
  ['http://127.0.0.1:4101/agents/a', local, undefined],
  ['https://evil.example/agents/support', path, undefined],
  ['https://roadstead.example.evil.example/agents/support', path, undefined],
  ['https://roadstead.example@evil.example/agents/support', path, undefined],
  ['https://roadstead.example/agents/../keys', path, undefined],
  ['https://roadstead.example/agents/a/b', path, undefined],
  ['https://roadstead.example/agents/a?x=1', path, undefined],
  ['https://roadsteadXexample/agents/a', path, undefined],
  ['https://a.b.agents.example', host, undefined],
  ['http://localhost.evil.example:4100/agents/a', local, undefined],
  ['HTTPS://Roadstead.Example/agents/support', path, 'support'],
  ['https://roadstead.example:443/agents/support', path, 'support'],
  ['https://SUPPORT.Agents.example', host, 'support'],
  ['HTTP://LOCALHOST:4100/agents/a', local, 'a'],
  ['https://roadstead.example/Agents/support', path, undefined],
  ['https://roadstead.example/agents/Support', path, undefined],
  ['https://roadstead.example:80/agents/support', path, undefined],
  ['https://roadstead.example:4430/agents/support', path, undefined],
  ['https://roadstead.example', 'https://Roadstead.Example/{slug}', undefined],
  ['https://roadstead.example/support', 'HTTPS://Roadstead.Example:443/{slug}', 'support'],
  ['', path, undefined],
])('when the address is %s and the pattern %s, then the agent is %s', (url, pattern, slug) => {
  expect(slugOf(url, pattern)?.text).toBe(slug);
});

test.each([
  ['http://localhost:4100/agents/a/a2a/agent/', '/a2a/agent'],
  ['http://127.0.0.1:4100/agents/a/a2a/agent', '/a2a/agent'],
  ['http://127.0.0.1:4100/agents/ab/a2a/agent', undefined],
  ['http://127.0.0.1:4100/agents/a/../b/a2a/agent', undefined],
  ['http://127.0.0.1:4100/agents/a/a2a/agent?key=1', undefined],
  ['http://127.0.0.1:4100/agents/a/%2e%2e/b/a2a/agent', undefined],
  ['http://127.0.0.1:4100/agents/a/.%2E/b/a2a/agent', undefined],
  ['http://127.0.0.1:4100/agents/a/..\\b', undefined],
  ['http://127.0.0.1:4100/agents/a/.\t./b', undefined],
  ['http://127.0.0.1:4100/agents/a//b', undefined],
  ['HTTP://LocalHost:4100/agents/a/a2a/Agent', '/a2a/Agent'],
  ['http://127.0.0.1:4100/Agents/a/a2a/agent', undefined],
])('when the address is %s, then the path below the agent is %s', (address, expected) => {
  expect(slugOf('http://127.0.0.1:4100/agents/a', local)?.pathOf(address)).toBe(expected);
});
