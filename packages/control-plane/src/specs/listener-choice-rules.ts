import type { Listener, SourceConfig, SourceKind } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { sourceForms } from './source-rules.ts';

/** Chooses the listener of a new deployment: one of the workspace that can run the form of its source. */

export interface Candidate extends Pick<
  Listener,
  'id' | 'compute_type' | 'compute_id' | 'compute_config' | 'capabilities' | 'served_namespaces'
> {
  /** Belongs to this workspace; it is not the platform's own for all workspaces. */
  readonly is_own: boolean;
}

/** Where a create request wants the deployment to run. */
export interface PlacementRequest {
  readonly source: SourceKind;
  readonly source_config: Pick<SourceConfig, 'listener_id' | 'listener_config'>;
}

/**
 * Throws `invalid` when no listener can run it, when several can and none is named, or for a namespace that the
 * listener does not have.
 */
export function chooseListener(asked: PlacementRequest, candidates: readonly Candidate[]): Candidate {
  const { listener_id, listener_config } = asked.source_config;
  const chosen =
    listener_id === null || listener_id === undefined
      ? chooseFreely(asked.source, candidates)
      : chooseNamed(candidates, { source: asked.source, id: listener_id.toLowerCase() });
  checkNamespace(chosen, { source: asked.source, namespace: listener_config?.cluster_namespace ?? null });
  return chosen;
}

function chooseNamed(
  candidates: readonly Candidate[],
  { source, id }: { readonly source: SourceKind; readonly id: string },
): Candidate {
  const named = candidates.find((one) => one.id === id);
  if (named === undefined)
    throw new Problem('invalid', 'source_config.listener_id names no listener of this workspace.', {
      hint: 'GET /v2/listeners lists them.',
    });
  if (!canRun(named, source))
    throw new Problem(
      'invalid',
      `The listener of source_config.listener_id runs ${named.capabilities.join(', ') || 'nothing'}, and source ${source} gives ${sourceForms[source]}.`,
    );
  return named;
}

/** A listener of the workspace takes precedence over the platform's. */
function chooseFreely(source: SourceKind, candidates: readonly Candidate[]): Candidate {
  const able = candidates.filter((one) => canRun(one, source));
  const own = able.filter((one) => one.is_own);
  const [first, ...others] = own.length > 0 ? own : able;
  if (first === undefined) throw notAvailable(source, candidates);
  if (others.length === 0) return first;
  const ids = [first, ...others].map((one) => one.id).join(', ');
  throw new Problem(
    'invalid',
    `source_config.listener_id is required, since several listeners of this workspace run source ${source}: ${ids}.`,
  );
}

function canRun({ capabilities }: Candidate, source: SourceKind): boolean {
  return capabilities.includes(sourceForms[source]);
}

function notAvailable(source: SourceKind, candidates: readonly Candidate[]): Problem {
  const there = [...new Set(candidates.map((one) => one.compute_type))];
  const needed =
    sourceForms[source] === 'image'
      ? 'a listener that runs images (compute type container or cluster)'
      : `a listener that builds and runs ${sourceForms[source]}`;
  const present = there.length === 0 ? 'none' : `only compute type ${there.join(' and ')}`;
  return new Problem('invalid', `Source ${source} needs ${needed}, and this workspace has ${present}.`, {
    hint: 'GET /v2/listeners shows what each listener can run.',
  });
}

/** The namespaces that a listener is bound to; empty: any. */
export function namespacesOf(config: Listener['compute_config']): readonly string[] {
  const named = config['cluster_namespaces'];
  return Array.isArray(named) ? named.map(String) : [];
}

interface NamespaceRequest {
  readonly source: SourceKind;
  readonly namespace: string | null;
}

/** The namespaces in which a deployment of the listener may run, the best first: those that it is bound to and that are served. */
function namesOf({ compute_config, served_namespaces }: Candidate): readonly string[] {
  const bound = namespacesOf(compute_config);
  const served = served_namespaces ?? [];
  if (bound.length === 0 || served.length === 0) return [...bound, ...served];
  return bound.filter((name) => served.includes(name));
}

/** The namespace in which a deployment runs from now on; null where there is none, and where none is known yet. */
export function namespaceFor(
  listener: Candidate,
  { listener_config }: PlacementRequest['source_config'],
): string | null {
  if (listener.compute_type !== 'cluster') return null;
  return listener_config?.cluster_namespace ?? namesOf(listener)[0] ?? null;
}

function checkNamespace(listener: Candidate, { source, namespace }: NamespaceRequest): void {
  const field = 'source_config.listener_config.cluster_namespace';
  if (listener.compute_type !== 'cluster') {
    if (namespace !== null)
      throw new Problem(
        'invalid',
        `${field} is for listeners of compute type cluster, and this one is of compute type ${listener.compute_type}.`,
      );
    return;
  }
  const bound = namespacesOf(listener.compute_config);
  const names = namesOf(listener);
  if (names.length === 0 && bound.length > 0)
    throw new Problem(
      'invalid',
      `The data plane of the listener runs agents in none of its namespaces (${bound.join(', ')}).`,
      {
        hint: `It runs them in ${(listener.served_namespaces ?? []).join(', ')}: its operator adds namespaces.`,
      },
    );
  // What clients of the original can give no namespace runs in the first.
  const isMissing = namespace === null && names.length > 1 && source === 'external_image';
  if (isMissing || (namespace !== null && names.length > 0 && !names.includes(namespace)))
    throw new Problem('invalid', `${field} must be one of the listener's namespaces: ${names.join(', ')}.`);
}
