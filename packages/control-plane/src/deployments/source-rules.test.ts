import { expect, test } from 'vitest';
import { type SourceKind, SourceKind as SourceKinds } from '@roadstead/contracts/control-plane';
import type { Problem } from '@roadstead/kit';
import { checkCommand, checkConfigPath } from './command-rules.ts';
import {
  checkBuilt,
  checkCreateFields,
  checkPatchFields,
  type Field,
  fieldRule,
  fields,
  type FieldsRequest,
} from './source-rules.ts';

const samples: Readonly<Record<Field, unknown>> = {
  'source_config.integration_id': '11111111-1111-4111-8111-111111111111',
  'source_config.repo_url': 'https://example.com/a/b',
  'source_config.deployment_type': 'dev',
  'source_config.build_on_push': true,
  'source_config.custom_url': 'https://agent.example.com',
  'source_config.template_id': 'support-agent',
  'source_config.resource_spec': { cpu: 1 },
  'source_config.listener_id': '22222222-2222-4222-8222-222222222222',
  'source_config.listener_config': { cluster_namespace: 'agents' },
  'source_config.install_command': 'npm ci',
  'source_config.build_command': 'npm run build',
  'source_revision_config.repo_ref': 'main',
  'source_revision_config.langgraph_config_path': 'langgraph.json',
  'source_revision_config.image_uri': 'registry.example.com/a:1',
  'source_revision_config.source_tarball_path': 'uploads/x.tar.gz',
  secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }],
};

/** A request with one field in its place. */
function withField(field: Field, value: unknown): FieldsRequest {
  const [outer = '', inner] = field.split('.');
  return inner === undefined ? { [outer]: value } : { [outer]: { [inner]: value } };
}

function merged(...requests: FieldsRequest[]): FieldsRequest {
  return {
    source_config: Object.assign({}, ...requests.map((one) => one.source_config)) as object,
    source_revision_config: Object.assign({}, ...requests.map((one) => one.source_revision_config)) as object,
    secret_references: requests.flatMap((one) => [...(one.secret_references ?? [])]),
  };
}

function problemOf(check: () => void): Problem | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

/** What a check says, or nothing. */
const refusal = (check: () => void) => problemOf(check)?.message ?? '';

const required = (source: SourceKind) =>
  merged(
    ...fields
      .filter((field) => ['required', 'fixed'].includes(fieldRule(source, field)))
      .map((field) => withField(field, samples[field])),
  );

const cells = SourceKinds.options.flatMap((source) => fields.map((field) => ({ source, field })));

test.each(cells)('$source with $field, on create and in a patch', ({ source, field }) => {
  const rule = fieldRule(source, field);
  const request = withField(field, samples[field]);
  const created = refusal(() => checkCreateFields(source, merged(required(source), request)));
  const patched = refusal(() => checkPatchFields(source, request, {}));
  const repeated = refusal(() => checkPatchFields(source, request, request));
  const isSetOnCreate = rule !== 'forbidden' && rule !== 'read_only';
  const isChangeable = isSetOnCreate && rule !== 'immutable' && rule !== 'fixed';
  expect([created !== '', patched !== '', repeated !== '']).toEqual([
    !isSetOnCreate,
    !isChangeable,
    rule === 'forbidden',
  ]);
  for (const sentence of [created, patched].filter((one) => one !== '')) expect(sentence).toContain(field);
});

test.each(cells)('$source: null in $field says nothing', ({ source, field }) => {
  expect(() => checkPatchFields(source, withField(field, null), {})).not.toThrow();
});

test('a graph configuration is required, unless the original’s CLI will bring it with the upload', () => {
  expect(() => checkCreateFields('git', {})).toThrow('langgraph_config_path is required');
  expect(() => checkCreateFields('git', { source_config: { deployment_type: 'dev' } })).toThrow(
    'is required',
  );
  expect(() => checkCreateFields('internal_source', {})).toThrow('langgraph_config_path is required');
  expect(() =>
    checkCreateFields('internal_source', { source_config: { deployment_type: 'dev' } }),
  ).not.toThrow();
  expect(() => checkCreateFields('external_image', {})).not.toThrow();
});

test('a template is required where one is deployed', () => {
  expect(() => checkCreateFields('internal_template', {})).toThrow('template_id is required');
});

test.each([
  [{ build_on_push: true }, { repo_ref: 'refs/tags/v1' }, {}, true],
  [{ build_on_push: true }, { repo_ref: 'main' }, {}, false],
  [{ build_on_push: false }, { repo_ref: 'refs/tags/v1' }, {}, false],
  [{ build_on_push: true }, {}, { source_revision_config: { repo_ref: 'refs/tags/v1' } }, true],
  [{}, { repo_ref: 'refs/tags/v1' }, { source_config: { build_on_push: true } }, true],
  [{ build_on_push: false }, { repo_ref: 'refs/tags/v1' }, { source_config: { build_on_push: true } }, false],
])('pushes of a tag: %j %j beside %j', (source_config, source_revision_config, present, refused) => {
  const sentence = refusal(() => checkPatchFields('git', { source_config, source_revision_config }, present));
  expect(sentence.includes('is a tag')).toBe(refused);
});

test('`build_on_push: false` is harmless anywhere', () => {
  for (const source of SourceKinds.options)
    expect(() => checkPatchFields(source, { source_config: { build_on_push: false } }, {})).not.toThrow();
});

test.each([
  ['git', 'not_implemented'],
  ['internal_template', undefined],
  ['external_image', undefined],
  ['internal_image', undefined],
  ['internal_source', undefined],
] as const)('%s is %s', (source, kind) => {
  expect(problemOf(() => checkBuilt(source))?.kind).toBe(kind);
});

test.each<[string, boolean]>([
  ['npm ci', true],
  ['npm ci && npm run build', true],
  ["node -e 'x'", true],
  ['a & b', false],
  ['a &&& b', false],
  ['a &', false],
  ...['"', '`', '\\', '\n', '\r', '\0', '\t', '|', ';', '$', '>', '<'].map((character): [string, boolean] => [
    `a ${character} b`,
    false,
  ]),
])('command %j is accepted: %s', (command, accepted) => {
  const sentence = refusal(() => checkCommand('install_command', command));
  expect(sentence.startsWith('install_command may not contain')).toBe(!accepted);
});

test.each([
  ['langgraph.json', true],
  ['./agents/a/langgraph.json', true],
  ['agents/..a/langgraph.json', true],
  ['../langgraph.json', false],
  ['a/../../b.json', false],
  ['/etc/passwd', false],
  ['C:/a.json', false],
  ['a\\..\\b.json', false],
  ['a\0.json', false],
  ['', false],
  ['agents/', false],
])('path %j is accepted: %s', (path, accepted) => {
  expect(refusal(() => checkConfigPath(path)).includes('langgraph_config_path')).toBe(!accepted);
});
