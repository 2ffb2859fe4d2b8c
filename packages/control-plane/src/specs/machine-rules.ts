import type { ComputeType, ResourceSpec, SecretReference } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** What only a cluster can do is refused by name where containers of one machine run a deployment. Pure. */

interface ImageFields {
  readonly resource_spec?: ResourceSpec | null | undefined;
  readonly secret_references?: readonly SecretReference[] | null | undefined;
}

/** The fields of a ResourceSpec that name things of a cluster. */
const ofClusters = [
  'annotations',
  'service_account_name',
  'image_pull_secrets',
  'volumes',
  'volume_mounts',
  'init_containers',
  'sidecars',
] as const satisfies readonly (keyof ResourceSpec)[];

const hints: Readonly<Partial<Record<(typeof ofClusters)[number] | 'secret_references', string>>> = {
  image_pull_secrets: 'The operator of the listener logs in at the registry, for all of its deployments.',
  secret_references: 'Set the values as secrets of the deployment.',
};

/** Throws `invalid` for what a listener of this compute type can't do. */
export function checkForCompute(
  compute_type: ComputeType,
  { resource_spec, secret_references }: ImageFields,
): void {
  if (compute_type === 'cluster') return;
  const named = ofClusters.find((field) => isSet(resource_spec?.[field]));
  if (named !== undefined) throw refusal(`source_config.resource_spec.${named}`, compute_type, hints[named]);
  if (isSet(secret_references)) throw refusal('secret_references', compute_type, hints.secret_references);
}

/** Null, an empty list and an empty object say nothing. */
const isSet = (value: unknown) =>
  value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0);

const refusal = (field: string, compute_type: ComputeType, hint: string | undefined) =>
  new Problem(
    'invalid',
    `${field} is for listeners of compute type cluster, and this one is of compute type ${compute_type}.`,
    hint === undefined ? {} : { hint },
  );
