import { expect, test } from 'vitest';
import { ownHosts } from '@roadstead/contracts';
import { ClaimedHosts } from './claimed-hosts.ts';

const claimed = () => new ClaimedHosts(ownHosts(['https://roadstead.example/agents/{slug}']));

test.each([
  ['https://agent.example.com', { 'agent.example.com': 'mine' }],
  ['http://Agent.Example.com:8080/', { 'agent.example.com': 'mine' }],
  ['https://bücher.example', { 'xn--bcher-kva.example': 'mine' }],
  ['https://agent.example.com/below', {}],
  ['https://roadstead.example', {}],
  ['http://127.0.0.1:4100', {}],
  ['http://2130706433', {}],
  ['http://[::1]', {}],
  ['http://localhost', {}],
  ['http://intranet', {}],
  ['no address', {}],
  [null, {}],
])('when a deployment’s custom address is %j, then it answers at %j', (custom_url, hosts) => {
  const claims = claimed();
  claims.claim('mine', custom_url);
  expect(claims.all).toEqual({ hosts });
});

test('when several claim a host, then the first has it until it lets go, and then the next', () => {
  const claims = claimed();
  const at = 'https://agent.example.com';
  for (const slug of ['first', 'second', 'third', 'first']) claims.claim(slug, at);
  expect(claims.all.hosts).toEqual({ 'agent.example.com': 'first' });
  claims.claim('second', 'https://elsewhere.example.com');
  claims.claim('first', null);
  expect(claims.all.hosts).toEqual({ 'agent.example.com': 'third', 'elsewhere.example.com': 'second' });
  claims.claim('third', null);
  claims.claim('second', null);
  expect(claims.all.hosts).toEqual({});
});
