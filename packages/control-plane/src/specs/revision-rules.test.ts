import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeploymentPatchRequest } from '@roadstead/contracts/control-plane';
import { deriveFirst, deriveRevision, type PatchedDeployment } from './revision-rules.ts';

const tarball = 'uploads/d/one.tar.gz';
const LISTENER = '11111111-1111-4111-8111-111111111111';

function current(change: Partial<PatchedDeployment> = {}): PatchedDeployment {
  const { source_config, revision } = deriveFirst({
    name: 'agent',
    source: 'internal_source',
    source_config: { install_command: 'npm ci' },
    source_revision_config: { langgraph_config_path: 'langgraph.json' },
    secrets: [],
  });
  return {
    name: 'agent',
    source: 'internal_source',
    source_config,
    url: 'http://x/agents/agent',
    config: { ...revision, source_tarball_path: tarball },
    secret_names: ['A', 'B'],
    listener_id: LISTENER,
    namespace: 'agents',
    ...change,
  };
}

const of = (source_revision_config: DeploymentPatchRequest['source_revision_config']) => ({
  source_revision_config,
});

test.each<[string, DeploymentPatchRequest, boolean]>([
  ['nothing', {}, false],
  [
    'nulls',
    { source_config: null, source_revision_config: null, secrets: null, secret_references: null },
    false,
  ],
  ['the CLI’s empty secrets', { secrets: [] }, false],
  ['secrets', { secrets: [{ name: 'A', value: '1' }] }, true],
  ['secrets that all stay', { secrets: [{ name: 'A', value: '********' }] }, true],
  ['the configuration’s path, as it is', of({ langgraph_config_path: 'langgraph.json' }), true],
  ['another tarball', of({ source_tarball_path: 'uploads/d/two.tar.gz' }), true],
  ['a null path', of({ langgraph_config_path: null }), false],
  ['a build command', { source_config: { build_command: 'npm run build' } }, false],
  [
    'what a client read and sends back',
    {
      name: 'agent',
      source: 'internal_source',
      source_config: { custom_url: 'http://x/agents/agent', build_on_push: false, install_command: 'npm ci' },
    },
    false,
  ],
  ['a deployment_type', { source_config: { deployment_type: 'prod' } }, false],
  ['its own source as revision_source', { revision_source: 'internal_source' }, false],
  ['the listener that was chosen for it', { source_config: { listener_id: LISTENER } }, false],
  ['its namespace', { source_config: { listener_config: { cluster_namespace: 'agents' } } }, false],
  ['a place without a namespace', { source_config: { listener_config: { cluster_namespace: null } } }, false],
])('when a patch has %s, then it makes a revision, or none, as it should', (_case, patch, triggers) => {
  expect(deriveRevision(current(), patch).revision !== undefined).toBe(triggers);
});

test.each<[string, DeploymentPatchRequest, string, string]>([
  ['another name', { name: 'other' }, 'name', 'invalid'],
  ['another source', { source: 'git' }, 'source', 'invalid'],
  ['another url', { source_config: { custom_url: 'http://elsewhere' } }, 'custom_url', 'invalid'],
  ['resources', { source_config: { resource_spec: { cpu: 1 } } }, 'resource_spec', 'invalid'],
  [
    'another listener',
    { source_config: { listener_id: '22222222-2222-4222-8222-222222222222' } },
    'source_config.listener_id of a deployment cannot be changed',
    'invalid',
  ],
  [
    'another namespace',
    { source_config: { listener_config: { cluster_namespace: 'other' } } },
    'source_config.listener_config of a deployment cannot be changed',
    'invalid',
  ],
  ['an image', of({ image_uri: 'a:1' }), 'image_uri', 'invalid'],
  ['a branch', of({ repo_ref: 'main' }), 'repo_ref', 'invalid'],
  [
    'references',
    { secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] },
    'secret_references',
    'invalid',
  ],
  [
    'a path out of the source',
    of({ langgraph_config_path: '../x.json' }),
    'langgraph_config_path',
    'invalid',
  ],
  ['a command with a pipe', { source_config: { build_command: 'a | b' } }, 'build_command', 'invalid'],
  ['a revision from git', { revision_source: 'git' }, 'must be internal_source', 'invalid'],
  [
    'a revision from a template',
    { revision_source: 'internal_template' },
    'revision_source must be',
    'invalid',
  ],
  ['a revision from an image', { revision_source: 'internal_image' }, 'revision_source must be', 'invalid'],
])('when a patch has %s, then it is refused', (_case, patch, sentence, kind) => {
  expect(() => deriveRevision(current(), patch)).toThrow(
    expect.objectContaining({ kind, message: expect.stringContaining(sentence) as unknown }) as Error,
  );
});

test('when commands change, then they go with the next revision; an empty one means "detect it"', () => {
  const changed = deriveRevision(current(), {
    source_config: { build_command: 'npm run build', install_command: '' },
  });
  expect(changed.source_config).toMatchObject({ build_command: 'npm run build', install_command: null });
  const next = deriveRevision(
    current({ source_config: changed.source_config }),
    of({ langgraph_config_path: 'a.json' }),
  );
  expect(next.revision).toEqual({
    repo_ref: null,
    image_uri: null,
    langgraph_config_path: 'a.json',
    source_tarball_path: tarball,
    build_command: 'npm run build',
    install_command: null,
    resource_spec: null,
    secret_references: [],
  });
});

test('when the first source comes, then it needs a path to its configuration', () => {
  const { source_config, revision } = deriveFirst({
    name: 'agent',
    source: 'internal_source',
    source_config: { deployment_type: 'dev' },
    source_revision_config: {},
    secrets: [],
  });
  const fresh = current({ source_config, config: revision });
  expect(() => deriveRevision(fresh, of({ source_tarball_path: tarball }))).toThrow(
    'langgraph_config_path is required',
  );
  expect(deriveRevision(fresh, { secrets: [{ name: 'A', value: '1' }] }).revision).toEqual(revision);
  expect(
    deriveRevision(fresh, of({ source_tarball_path: tarball, langgraph_config_path: 'l.json' })).revision,
  ).toMatchObject({
    source_tarball_path: tarball,
    langgraph_config_path: 'l.json',
  });
});

test('when a tarball comes with create, then it is refused: it can’t be of this deployment', () => {
  expect(() =>
    deriveFirst({
      name: 'agent',
      source: 'internal_source',
      source_config: {},
      source_revision_config: { langgraph_config_path: 'l.json', source_tarball_path: tarball },
      secrets: [],
    }),
  ).toThrow('upload-url');
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const command = fc.constantFrom('npm ci', 'pnpm i && pnpm run build', '');
const patches: fc.Arbitrary<DeploymentPatchRequest> = fc.record(
  {
    source_config: maybe(
      fc.record({ install_command: maybe(command), build_command: maybe(command) }, { requiredKeys: [] }),
    ),
    source_revision_config: maybe(
      fc.record(
        {
          langgraph_config_path: maybe(fc.constantFrom('langgraph.json', 'agents/langgraph.json')),
          source_tarball_path: maybe(fc.constantFrom(tarball, 'uploads/d/two.tar.gz')),
        },
        { requiredKeys: [] },
      ),
    ),
    secrets: maybe(
      fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.string() }), {
        selector: (one) => one.name,
      }),
    ),
  },
  { requiredKeys: [] },
);
/** As it is after a patch. */
function after(before: PatchedDeployment, patch: DeploymentPatchRequest): PatchedDeployment {
  const derived = deriveRevision(before, patch);
  return {
    ...before,
    source_config: derived.source_config,
    config: derived.revision ?? before.config,
    secret_names: derived.environment?.names ?? before.secret_names,
  };
}
const legal = (patch: DeploymentPatchRequest) =>
  (patch.secrets ?? []).every((one) => one.value !== '********' || ['A', 'B'].includes(one.name));

test('when a patch is applied twice, then it is as if applied once', () => {
  fc.assert(
    fc.property(patches.filter(legal), (patch) => {
      const once = after(current(), patch);
      expect(after(once, patch)).toEqual(once);
    }),
  );
});

test('when a patch has a trigger, then it makes a revision, which keeps what was not said', () => {
  fc.assert(
    fc.property(patches.filter(legal), (patch) => {
      const { revision, environment } = deriveRevision(current(), patch);
      const asked = patch.source_revision_config ?? {};
      const said = Object.values(asked).some((value) => value !== null && value !== undefined);
      expect(revision !== undefined).toBe(said || (patch.secrets ?? []).length > 0);
      if (revision === undefined) return;
      expect(revision.source_tarball_path).toBe(asked.source_tarball_path ?? tarball);
      expect(revision.langgraph_config_path).toBe(asked.langgraph_config_path ?? 'langgraph.json');
      expect(environment?.names).toEqual(
        (patch.secrets ?? []).length > 0 ? patch.secrets?.map((one) => one.name) : undefined,
      );
    }),
  );
});

test('when a field is null, then that means the same as an absent field', () => {
  const withoutNulls = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, inner]) => inner !== null)
            .map(([key, inner]) => [key, withoutNulls(inner)]),
        )
      : value;
  fc.assert(
    fc.property(patches.filter(legal), (patch) => {
      expect(deriveRevision(current(), withoutNulls(patch) as DeploymentPatchRequest)).toEqual(
        deriveRevision(current(), patch),
      );
    }),
  );
});
