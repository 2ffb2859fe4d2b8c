import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decidePush, type KnownHead, type PushVerdict } from './push-rules.ts';

const known = (change: Partial<KnownHead> = {}): KnownHead => ({
  latest: { status: 'DEPLOYED', commit_sha: 'b' },
  head_sha: 'b',
  has_revision: false,
  is_hooked: false,
  ...change,
});
const unresolved = (status: KnownHead['latest']['status']) => ({
  latest: { status, commit_sha: null },
  head_sha: null,
});
const old = { has_revision: true };
const hooked = { has_revision: true, is_hooked: true };

test.each<[string, 'poll' | 'webhook', string | null, Partial<KnownHead>, PushVerdict]>([
  ['a new commit', 'webhook', 'b', {}, 'build'],
  ['a new commit after one that nobody told', 'webhook', 'z', {}, 'build'],
  ['a new commit that was seen', 'poll', null, {}, 'build'],
  ['where it stood', 'poll', null, { head_sha: 'a' }, 'known'],
  [
    'what the latest revision is of',
    'webhook',
    'b',
    { latest: { status: 'BUILD_FAILED', commit_sha: 'a' } },
    'known',
  ],
  ['moved back', 'webhook', 'b', old, 'build'],
  ['a copy of what came before', 'webhook', 'z', old, 'replayed'],
  ['a copy of the first push', 'webhook', null, old, 'replayed'],
  ['moved back, as was seen', 'poll', null, old, 'build'],
  ['seen before a webhook came', 'poll', null, hooked, 'replayed'],
  ['before the first revision has begun', 'webhook', null, unresolved('CREATING'), 'awaited'],
  ['while it waits for another', 'poll', null, unresolved('QUEUED'), 'awaited'],
  ['while it is fetched', 'poll', null, unresolved('BUILDING'), 'undecided'],
  ['told while it is fetched', 'webhook', null, unresolved('BUILDING'), 'build'],
  ['after one that could not be fetched', 'poll', null, unresolved('BUILD_FAILED'), 'build'],
])(
  'when a commit is reported (%s), then what is known of it decides whether it is built',
  (_case, by, before, change, verdict) => {
    expect(decidePush({ commit_sha: 'a', by, before }, known(change))).toBe(verdict);
  },
);

test('when webhooks come in any order, then a commit is built again only from the present head', () => {
  const pushes = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 40 });
  fc.assert(
    fc.property(pushes, (delivered) => {
      let head = 0;
      const built: number[] = [0];
      for (const commit of delivered) {
        const verdict = decidePush(
          { commit_sha: String(commit), by: 'webhook', before: String(commit - 1) },
          known({
            latest: { status: 'DEPLOYED', commit_sha: String(built.at(-1)) },
            head_sha: String(head),
            has_revision: built.includes(commit),
          }),
        );
        if (verdict !== 'build') continue;
        built.push(commit);
        head = commit;
      }
      const twice = built.filter((commit, index) => built.indexOf(commit) !== index);
      for (const commit of twice) expect(built[built.lastIndexOf(commit) - 1]).toBe(commit - 1);
    }),
  );
});
