import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  DeploymentCreateRequest,
  DeploymentPatchRequest,
  SourceConfig,
  type SourceKind,
  SourceKind as SourceKinds,
  SourceRevisionConfig,
} from '@roadstead/contracts/control-plane';
import type { Problem } from '@roadstead/kit';
import { checkCommand, checkConfigPath, checkCustomUrl } from './command-rules.ts';
import { checkImage } from './image-rules.ts';
import {
  checkCreateFields,
  checkPatchFields,
  type Field,
  type FieldRule,
  fieldRule,
  fields,
  type FieldsRequest,
  triggersRevision,
} from './source-rules.ts';

const samples: Readonly<Record<Field, unknown>> = {
  name: 'agent',
  display_name: 'Agent',
  source: 'git',
  revision_source: 'git',
  secrets: [{ name: 'A', value: '1' }],
  'source_revision_config.repo_commit_sha': '0'.repeat(40),
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
    ...Object.assign({}, ...requests),
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

/** The message of a check, or nothing. */
const refusal = (check: () => void) => problemOf(check)?.message ?? '';

const required = (source: SourceKind) =>
  merged(
    ...fields
      .filter((field) => ['required', 'fixed'].includes(fieldRule(source, field)))
      .map((field) => withField(field, samples[field])),
  );

const ways = ['create', 'patch', 'the same again'] as const;
const cells = SourceKinds.options.flatMap((source) =>
  fields.flatMap((field) => ways.map((way) => ({ source, field, way }))),
);

const refusedIn: Readonly<Record<FieldRule, readonly (typeof ways)[number][]>> = {
  allowed: [],
  required: [],
  ignored: [],
  immutable: ['patch'],
  fixed: ['patch'],
  read_only: ['create', 'patch'],
  forbidden: ways,
};

function refusalOf({ source, field, way }: (typeof cells)[number]): string {
  const request = withField(field, samples[field]);
  return refusal(() =>
    way === 'create'
      ? checkCreateFields(source, merged(required(source), request))
      : checkPatchFields(source, request, way === 'patch' ? {} : request),
  );
}

test('when a field comes with a source, by create or patch, then it is taken or refused by name', () => {
  const swept = cells.map((cell) => ({ ...cell, sentence: refusalOf(cell) }));
  for (const { source, field, way, sentence } of swept) {
    const is_refused = refusedIn[fieldRule(source, field)].includes(way);
    expect([source, field, way, sentence !== '']).toEqual([source, field, way, is_refused]);
    expect(sentence.includes(field)).toBe(is_refused);
  }
  expect(swept.length).toBe(fields.length * 5 * 3);
  expect(fields.length).toBeGreaterThanOrEqual(20);
});

test('when a request may have a field, then the table has it', () => {
  const leaves = (schema: z.ZodObject, at = ''): string[] =>
    Object.keys(schema.shape).map((name) => at + name);
  const outer = ['source_config', 'source_revision_config'];
  const sent = [
    ...leaves(DeploymentCreateRequest),
    ...leaves(DeploymentPatchRequest),
    ...leaves(SourceConfig, 'source_config.'),
    ...leaves(SourceRevisionConfig, 'source_revision_config.'),
  ].filter((name) => !outer.includes(name));
  const unsaid = [...new Set(sent)].filter((name) => !(fields as readonly string[]).includes(name));
  expect(unsaid).toEqual([]);
  const unknown = fields.filter((field) => !sent.includes(field));
  expect(unknown).toEqual(['source_revision_config.repo_commit_sha']);
});

test('when a field makes a revision, then the specification lists it, or it is secret references', () => {
  const triggering = fields.filter((field) => triggersRevision(withField(field, samples[field]), {}));
  expect(triggering).toEqual([
    'source_config.resource_spec',
    'source_revision_config.repo_ref',
    'source_revision_config.langgraph_config_path',
    'source_revision_config.image_uri',
    'source_revision_config.source_tarball_path',
    'secrets',
    'secret_references',
  ]);
});

test.each(fields)(
  'when a patch has null, nothing or an empty list in %s, then that is unchanged',
  (field) => {
    const present = withField(field, samples[field]);
    for (const value of [null, undefined])
      expect(triggersRevision(withField(field, value), present)).toBe(false);
    // An empty list takes references away, where there are some.
    expect(triggersRevision(withField(field, []), {})).toBe(false);
    expect(triggersRevision(withField(field, []), present)).toBe(field === 'secret_references');
  },
);

test.each(SourceKinds.options.flatMap((source) => fields.map((field) => ({ source, field }))))(
  'when a patch of $source has null in $field, then that says nothing',
  ({ source, field }) => {
    expect(() => checkPatchFields(source, withField(field, null), {})).not.toThrow();
  },
);

test('when a graph configuration is missing, then it is required, unless an upload brings it', () => {
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

test('when a template is to be deployed, then its id is required', () => {
  expect(() => checkCreateFields('internal_template', {})).toThrow('template_id is required');
});

test.each([
  [{ build_on_push: true }, { repo_ref: 'refs/tags/v1' }, {}, true],
  [{ build_on_push: true }, { repo_ref: 'main' }, {}, false],
  [{ build_on_push: false }, { repo_ref: 'refs/tags/v1' }, {}, false],
  [{ build_on_push: true }, {}, { source_revision_config: { repo_ref: 'refs/tags/v1' } }, true],
  [{}, { repo_ref: 'refs/tags/v1' }, { source_config: { build_on_push: true } }, true],
  [{ build_on_push: false }, { repo_ref: 'refs/tags/v1' }, { source_config: { build_on_push: true } }, false],
])(
  'when %j and %j come beside %j, then only building on pushes of a tag is refused',
  (source_config, source_revision_config, present, refused) => {
    const sentence = refusal(() =>
      checkPatchFields('git', { source_config, source_revision_config }, present),
    );
    expect(sentence.includes('is a tag')).toBe(refused);
  },
);

test('when `build_on_push` is false, then it is taken for any source', () => {
  for (const source of SourceKinds.options)
    expect(() => checkPatchFields(source, { source_config: { build_on_push: false } }, {})).not.toThrow();
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
])('when a command is %j, then it is accepted: %s', (command, accepted) => {
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
])('when a path is %j, then it is accepted: %s', (path, accepted) => {
  expect(refusal(() => checkConfigPath(path)).includes('langgraph_config_path')).toBe(!accepted);
});

const digest = `sha256:${'0a'.repeat(32)}`;
test.each<[string, boolean]>([
  ['a', true],
  ['a:1', true],
  ['team/agent:1.2.3', true],
  ['registry.example.com/team/agent', true],
  ['registry.example.com:5000/agent:V1_x', true],
  ['localhost:5000/agent', true],
  [`agent@${digest}`, true],
  [`registry.example.com/agent:1@${digest}`, true],
  ['a__b/c-d', true],
  ['', false],
  ['Agent', false],
  ['-v', false],
  ['https://registry.example.com/agent', false],
  ['agent:', false],
  ['agent:1 --privileged', false],
  ['agent:1\n', false],
  ['agent:-1', false],
  ['team//agent', false],
  ['agent@sha256:abc', false],
  [`agent:${'a'.repeat(129)}`, false],
  ['a'.repeat(256), false],
  [`${'a-'.repeat(120)}!`, false],
])('when an image is %j, then it is accepted: %s', (image_uri, accepted) => {
  expect(refusal(() => checkImage(image_uri)).includes('image_uri')).toBe(!accepted);
});

test.each<[string, boolean]>([
  ['https://agent.example.com', true],
  ['http://agent.example.com:8080/a/b', true],
  ['https://me:secret@agent.example.com', false],
  ['https://agent.example.com?x=1', false],
  ['https://agent.example.com#x', false],
])('when an address is %j, then it is accepted: %s', (custom_url, accepted) => {
  expect(refusal(() => checkCustomUrl(custom_url)).includes('custom_url')).toBe(!accepted);
});
