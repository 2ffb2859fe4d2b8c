import { expect, test } from 'vitest';
import { customHost, ownHosts } from './custom-hosts.ts';

const isOwn = ownHosts([
  'https://roadstead.example:8443/base',
  'https://{slug}.agents.example.com',
  'http://127.0.0.1:4100/agents/{slug}',
]);

test.each([
  ['agent.example.com', 'agent.example.com'],
  ['Agent.Example.COM:8080', 'agent.example.com'],
  ['agent.example.com.', 'agent.example.com'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['agents.example.com', 'agents.example.com'],
  ['two.labels.agents.example.com', 'two.labels.agents.example.com'],
  ['roadsteadXexample.com', 'roadsteadxexample.com'],
  ['roadstead.example', undefined],
  ['ROADSTEAD.example.:1', undefined],
  ['mine.agents.example.com', undefined],
  ['localhost', undefined],
  ['localhost:4100', undefined],
  ['app.localhost', undefined],
  ['intranet', undefined],
  ['127.0.0.1:4100', undefined],
  ['10.0.0.7', undefined],
  ['127.1', undefined],
  ['1.0x7f', undefined],
  ['[::1]:4100', undefined],
  ['[2001:db8::1]', undefined],
  ['', undefined],
  ['.', undefined],
  ['a..example', undefined],
  ['-a.example', undefined],
  ['a.example/path', undefined],
  ['user@a.example', undefined],
  ['a.example b', undefined],
  ['*.example', undefined],
])('when the header Host is %j, then an agent may answer at %j', (header, host) => {
  expect(customHost(header, isOwn)).toBe(host);
});
