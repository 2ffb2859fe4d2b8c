import {
  DeploymentPatchRequest,
  type ResourceSpec,
  ResourceSpec as resource_spec,
  SourceConfig,
  SourceRevisionConfig,
} from '@roadstead/contracts/control-plane';
import type { z } from 'zod';
import { fields_without_effect, reserved_fields } from './fields-without-effect.ts';
import type { RunningContainer } from './image-platform.ts';

/** Each field of a deployment of source `external_image` with what a PATCH of it does where containers of one machine run it. */

type Path =
  | Exclude<keyof DeploymentPatchRequest, 'source_config' | 'source_revision_config'>
  | `source_config.${keyof SourceConfig}`
  | `source_revision_config.${keyof SourceRevisionConfig}`;

/** How a field is answered. What makes a revision has a test of its own; what is refused is so with a sentence that names it. */
type Effect = { readonly revision: true } | { readonly kept: unknown } | { readonly refused: unknown };

const ID = '99999999-9999-4999-8999-999999999999';

export const effects = {
  name: { refused: 'another' },
  display_name: { kept: 'An image' },
  source: { refused: 'git' },
  revision_source: { refused: 'git' },
  secrets: { revision: true },
  secret_references: { refused: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] },
  'source_config.integration_id': { refused: ID },
  'source_config.repo_url': { refused: 'https://example.com/a.git' },
  'source_config.deployment_type': { refused: 'dev' },
  'source_config.build_on_push': { refused: true },
  'source_config.custom_url': { kept: 'https://agent.example.com' },
  'source_config.resource_spec': { revision: true },
  'source_config.listener_id': { refused: ID },
  'source_config.template_id': { refused: 'support-agent' },
  'source_config.listener_config': { refused: { cluster_namespace: 'agents' } },
  'source_config.install_command': { refused: 'npm ci' },
  'source_config.build_command': { refused: 'npm run build' },
  'source_revision_config.repo_ref': { refused: 'main' },
  'source_revision_config.langgraph_config_path': { refused: 'langgraph.json' },
  'source_revision_config.image_uri': { revision: true },
  'source_revision_config.source_tarball_path': { refused: 'a' },
} as const satisfies Record<Path, Effect>;

/** A value of a ResourceSpec with what it does to a server: to its container, to the log of its build, or nothing that shows there. */
type ResourceEffect =
  | {
      readonly set: unknown;
      readonly shows?: (container: RunningContainer) => unknown;
      readonly as?: unknown;
    }
  | { readonly set: unknown; readonly without_effect: true }
  | { readonly refused: unknown };

const MB = 1024 * 1024;
const OBJECT = [{ name: 'a' }];

export const resource_effects = {
  min_scale: { set: 1 },
  max_scale: { set: 2 },
  cpu: { set: 0.3 },
  cpu_limit: { set: 0.7, shows: ({ HostConfig }) => HostConfig.NanoCpus, as: 700_000_000 },
  memory_mb: { set: 200 },
  memory_limit_mb: { set: 300, shows: ({ HostConfig }) => HostConfig.Memory, as: 300 * MB },
  ...fields_without_effect,
  labels: { set: { team: 'sea' }, shows: ({ Config }) => Config.Labels['team'], as: 'sea' },
  annotations: { refused: { note: 'a' } },
  service_account_name: { refused: 'agent' },
  image_pull_secrets: { refused: OBJECT },
  volumes: { refused: [{ name: 'a', emptyDir: {} }] },
  volume_mounts: { refused: [{ name: 'a', mountPath: '/a' }] },
  init_containers: { refused: [{ name: 'a', image: 'b' }] },
  sidecars: { refused: [{ name: 'a', image: 'b' }] },
  ...reserved_fields,
} as const satisfies Record<keyof ResourceSpec, ResourceEffect>;

/** All fields that the contract has, as the tables name them. */
export const contract_fields = {
  deployment: [
    ...Object.keys(DeploymentPatchRequest.shape).filter((one) => !/^source_(?:revision_)?config$/.test(one)),
    ...Object.keys(SourceConfig.shape).map((one) => `source_config.${one}`),
    ...Object.keys(SourceRevisionConfig.shape).map((one) => `source_revision_config.${one}`),
  ],
  resources: Object.keys((resource_spec.def.out as z.ZodObject).shape),
};

export const rowsOf = <T extends object>(table: T) =>
  Object.entries(table) as [string, Effect | ResourceEffect][];

/** A PATCH of one field. */
export function patchOf(path: string, value: unknown): Readonly<Record<string, unknown>> {
  return path
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Readonly<Record<string, unknown>>;
}
