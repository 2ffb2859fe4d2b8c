import type { Listener } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { namespacesOf } from '../specs/listener-choice-rules.ts';

/** Rules for listeners that a workspace registers itself. */

/**
 * @throws Problem `invalid` for namespaces of a kind that has none, or named twice; `conflict` where another listener
 * has one of them.
 */
export function checkNamespaces(
  { compute_type, compute_config }: Pick<Listener, 'compute_type' | 'compute_config'>,
  others: readonly Pick<Listener, 'compute_id' | 'compute_config'>[],
): void {
  const names = namespacesOf(compute_config);
  if (compute_type !== 'cluster' && names.length > 0)
    throw new Problem(
      'invalid',
      `compute_config.cluster_namespaces is for compute type cluster, and this is ${compute_type}.`,
    );
  if (new Set(names).size < names.length)
    throw new Problem('invalid', 'compute_config.cluster_namespaces names one twice.');
  for (const other of others) {
    const shared = namespacesOf(other.compute_config).find((name) => names.includes(name));
    if (shared !== undefined)
      throw new Problem(
        'conflict',
        `The listener ${other.compute_id} has the namespace ${shared}; two must not share one.`,
      );
  }
}

/** @throws Problem `invalid` for another value of a field that never changes. */
export function checkUnchanged(
  listener: Pick<Listener, 'compute_type' | 'compute_id'>,
  sent: {
    readonly compute_type?: string | null | undefined;
    readonly compute_id?: string | null | undefined;
  },
): void {
  for (const field of ['compute_type', 'compute_id'] as const)
    if ((sent[field] ?? listener[field]) !== listener[field])
      throw new Problem('invalid', `${field} of a listener never changes.`);
}

const SHOWN = 5;

/** @throws Problem `conflict` */
export function refuseWithDeployments(
  deployments: readonly { readonly name: string; readonly is_binned: boolean }[],
  what: string,
): void {
  if (deployments.length === 0) return;
  const named = deployments
    .slice(0, SHOWN)
    .map(({ name, is_binned }) => (is_binned ? `${name} (in the bin)` : name))
    .join(', ');
  const more = deployments.length > SHOWN ? ` and ${deployments.length - SHOWN} more` : '';
  throw new Problem('conflict', `${what}: ${named}${more}.`, {
    hint: 'Delete them first; with force=true they skip the bin.',
  });
}
