import { expect, test } from 'vitest';
import { commitComparison, compareNames, compareRevisions } from './diff-rules.ts';
import type { Revision } from './deployment-queries.ts';

const revision = (changes: Partial<Revision>): Revision => ({
  id: 'a',
  deployment_id: 'd',
  number: 1,
  status: 'DEPLOYED',
  status_reason: null,
  created_at: '2026-01-05T09:00:00.000Z',
  updated_at: '2026-01-05T09:00:00.000Z',
  source: 'git',
  repo_ref: 'main',
  langgraph_config_path: 'langgraph.json',
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: 'aaaa',
  source_revision_config: {
    repo_ref: 'main',
    langgraph_config_path: 'langgraph.json',
    image_uri: null,
    source_tarball_path: null,
    repo_commit_sha: 'aaaa',
  },
  phases: [],
  trigger: { kind: 'create', actor: 'key:k' },
  superseded_by: null,
  rollback_of: null,
  artifact_digest: null,
  artifact_image: null,
  install_command: null,
  build_command: null,
  resource_spec: null,
  environment_version: 1,
  secret_names: [],
  ...changes,
});

test('when two revisions differ, then what differs is marked, and what neither has is left out', () => {
  const changes = compareRevisions(
    revision({ resource_spec: { cpu: 1 } }),
    revision({ repo_commit_sha: 'bbbb', resource_spec: { cpu: 2, labels: { a: 'b' } } }),
  );
  expect(changes.filter(({ isChanged }) => isChanged)).toEqual([
    { name: 'Commit', before: 'aaaa', after: 'bbbb', isChanged: true },
    { name: 'Resources: cpu', before: '1', after: '2', isChanged: true },
    { name: 'Resources: labels', before: undefined, after: '{"a":"b"}', isChanged: true },
  ]);
  expect(changes.map(({ name }) => name)).not.toContain('Image');
});

test('when variables came and went, then each name is in one list', () => {
  expect(compareNames(['A', 'B'], ['B', 'C'])).toEqual({ added: ['C'], removed: ['A'], kept: ['B'] });
});

test.each([
  ['https://github.com/acme/agent.git', 'https://github.com/acme/agent/compare/a...b'],
  ['https://gitlab.com/acme/agent', 'https://gitlab.com/acme/agent/-/compare/a...b'],
  ['git@github.com:acme/agent.git', undefined],
  [undefined, undefined],
])('when the repository is %s, then commits are compared at %s', (repository, address) => {
  expect(commitComparison(repository, ['a', 'b'])).toBe(address);
});
