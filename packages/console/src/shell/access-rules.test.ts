import { expect, test } from 'vitest';
import { accessAt } from './access-rules.ts';

const pages = [
  { target: { to: '/' }, needs: 'workspaces:read' },
  { target: { to: '/talk' }, needs: 'agents:invoke' },
  { target: { to: '/settings' }, needs: 'workspaces:read' },
  { target: { to: '/settings/keys' }, needs: 'keys:admin' },
] as const;

test.each([
  ['/console/talk', 'agents:invoke'],
  ['/console/talk/support-agent/graph', 'agents:invoke'],
  ['/talk/support-agent', 'agents:invoke'],
  ['/console/settings', 'workspaces:read'],
  ['/console/settings/keys', 'keys:admin'],
  ['/console/settings/rules', 'workspaces:read'],
  ['/console/talks', undefined],
  ['/console', undefined],
  ['/console/', undefined],
])('when a path is %s, then what one needs there is %s', (path, needs) => {
  expect(accessAt(path, pages)).toBe(needs);
});
