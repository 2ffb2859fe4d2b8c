import { expect, test } from 'vitest';
import { healthOf, joinLine, runsOn } from './join-rules.ts';

test('when a cluster joins, then the line names it, this platform and where its agents are found', () => {
  expect(
    joinLine({
      name: "anna's cluster",
      origin: 'https://roadstead.example',
      agent_url: 'https://berlin.example/agents/{slug}',
      namespace: 'agents',
    }),
  ).toBe(
    [
      String.raw`npx roadstead listener join 'anna'\''s cluster' \
  --url https://roadstead.example`,
      `--agent-url 'https://berlin.example/agents/{slug}'`,
      '--namespace agents',
    ].join(' \\\n  '),
  );
});

test.each([
  [null, null, 'never seen'],
  ['2026-01-05T09:00:00Z', '2026-01-05T09:00:45Z', 'present'],
  ['2026-01-05T08:00:00Z', '2026-01-05T08:00:45Z', 'away'],
  ['2026-01-05T09:00:00Z', null, 'away'],
])('when it was seen at %s, with a lease to %s, then it is %s', (last_seen_at, lease_expires_at, health) => {
  expect(healthOf({ last_seen_at, lease_expires_at }, Date.parse('2026-01-05T09:00:30Z'))).toBe(health);
});

const origin = 'https://roadstead.example';
const here = `${origin}/agents/support`;

test.each([
  ['names it', { listener_id: 'a', url: null }, { id: 'a', is_own: false, is_only: false }, true],
  ['names another', { listener_id: 'b', url: here }, { id: 'a', is_own: true, is_only: false }, false],
  [
    'names none and is here',
    { listener_id: null, url: here },
    { id: 'a', is_own: true, is_only: false },
    true,
  ],
  [
    'names none, of several',
    { listener_id: null, url: here },
    { id: 'a', is_own: false, is_only: false },
    false,
  ],
  ['names none, of one', { listener_id: null, url: null }, { id: 'a', is_own: false, is_only: true }, true],
])(
  'when a deployment %s, then whether it runs on a listener is known',
  (_, { listener_id, url }, place, is_there) => {
    expect(runsOn({ url, source_config: { listener_id } }, { ...place, origin })).toBe(is_there);
  },
);
