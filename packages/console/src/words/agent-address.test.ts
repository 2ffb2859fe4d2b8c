import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentPath } from './agent-address.ts';

test('when a name and ids are given, then they are one path', () => {
  expect(agentPath('support-agent', 'threads', 'a b', 'runs')).toBe(
    '/agents/support-agent/threads/a%20b/runs',
  );
});

test.each(['', '..', '../v2/deployments', 'a/../..', 'a#b', 'a?b', 'A', 'a%2f', '-a', 'a-'])(
  'when the name is %j, then there is no such agent',
  (slug) => {
    expect(() => agentPath(slug, 'threads')).toThrow('There is no agent');
  },
);

test('when a segment is any other text, then the path stays below the agent', () => {
  fc.assert(
    fc.property(fc.string(), (segment) => {
      fc.pre(!['', '.', '..'].includes(segment));
      const path = agentPath('a', 'threads', segment);
      const url = new URL(path, 'http://origin');
      expect([url.origin, url.pathname.startsWith('/agents/a/threads/'), url.search, url.hash]).toEqual([
        'http://origin',
        true,
        '',
        '',
      ]);
    }),
  );
});
