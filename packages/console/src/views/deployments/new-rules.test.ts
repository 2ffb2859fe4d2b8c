import { expect, test } from 'vitest';
import { requestOf } from './new-rules.ts';
import { nameFrom } from './source-rules.ts';

test('when a repository is filled in, then empty fields are left out, empty variables not', () => {
  const values = {
    name: ' agent ',
    'source_config.repo_url': 'https://github.com/acme/agent',
    'source_config.install_command': '',
    'source_revision_config.repo_ref': 'main',
  };
  const secrets = [
    { name: 'A', value: '1' },
    { name: '', value: 'x' },
    { name: 'B', value: '' },
    { name: 'C', value: '', is_suggested: true as const },
    { name: 'D', value: '4', is_suggested: true as const },
  ];
  expect(requestOf({ from: 'git', values, build_on_push: true, secrets })).toEqual({
    name: 'agent',
    source: 'git',
    source_config: { repo_url: 'https://github.com/acme/agent', build_on_push: true },
    source_revision_config: { repo_ref: 'main' },
    secrets: [
      { name: 'A', value: '1' },
      { name: 'B', value: '' },
      { name: 'D', value: '4' },
    ],
  });
});

test.each([
  ['https://github.com/acme/My_Agent.git', 'my-agent'],
  ['registry.example.com:5000/team/agent:1.0', 'agent'],
  ['registry.example.com/agent@sha256:abc', 'agent'],
  ['Source Folder', 'source-folder'],
  ['agent.tar.gz', 'agent'],
  ['///', ''],
  [`a${'b'.repeat(80)}`, `a${'b'.repeat(62)}`],
])('when %s is chosen, then the name is %s', (text, name) => {
  expect(nameFrom(text)).toBe(name);
});
