import { expect, test } from 'vitest';
import { matchingDeployments } from './list-rules.ts';

const row = (name: string, changes: object = {}) => ({
  id: `id-${name}`,
  name,
  display_name: null,
  status: 'READY' as const,
  status_reason: null,
  active_revision_id: 'r1',
  latest_revision_id: 'r1',
  ...changes,
});

const all = [
  row('billing-agent'),
  row('support-agent', { display_name: 'Help desk', status_reason: 'It ended five times.' }),
  row('new-agent', { active_revision_id: null, latest_revision_id: null }),
  row('old-agent', { status: 'UNUSED' }),
];

test.each([
  [{}, ['billing-agent', 'support-agent', 'new-agent', 'old-agent']],
  [{ q: 'AGENT help' }, ['support-agent']],
  [{ q: 'id-old' }, ['old-agent']],
  [{ state: 'serving' }, ['billing-agent', 'support-agent', 'old-agent']],
  [{ state: 'trouble' }, ['support-agent']],
  [{ state: 'busy' }, []],
  [{ state: 'unused' }, ['old-agent']],
  [{ state: 'unused', q: 'billing' }, []],
] as const)('when deployments are sought by %j, then %j are listed', (search, names) => {
  expect(matchingDeployments(all, search).map(({ name }) => name)).toEqual(names);
});
