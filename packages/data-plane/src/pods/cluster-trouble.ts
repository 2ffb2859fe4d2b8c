import { isClusterAway, KubernetesRefusal } from '@roadstead/kubernetes';
import type { PodTrouble } from './pod-trouble.ts';
import { refusalTrouble } from './refusal-trouble-rules.ts';

/**
 * Refusals that are over a moment later: another has changed the object, it or its quota is being changed, or one of its name is on its way
 * out (409); what was asked for is forgotten (410). What else passes (408, 429, 5xx) is a cluster that is away.
 */
const PASSING = new Set([409, 410]);

/** Whether the same may be asked of the cluster again. */
export const isPassing = (error: unknown): boolean =>
  isClusterAway(error) || (error instanceof KubernetesRefusal && PASSING.has(error.status));

const AWAY: PodTrouble = {
  code: 'cluster_away',
  sentence: 'The API server of the cluster does not answer, and is asked again.',
  passes: true,
};
const BUSY: PodTrouble = {
  code: 'cluster_busy',
  sentence: 'The cluster is just changing what the pod needs, and is asked again.',
  passes: true,
};
const UNFIT: PodTrouble = {
  code: 'cluster_refused',
  sentence: 'The pod could not be described to the cluster.',
  passes: false,
};

/** What an error of the cluster says of the pods that were asked of it. */
export function clusterTrouble(error: unknown): PodTrouble {
  if (isClusterAway(error)) {
    // A webhook that does not answer is told as an error of the API server.
    const said = error.cause instanceof KubernetesRefusal ? refusalTrouble(error.cause.message) : undefined;
    return { ...(said ?? AWAY), passes: true };
  }
  if (!(error instanceof KubernetesRefusal)) return UNFIT;
  const said = refusalTrouble(error.message);
  if (isPassing(error)) return { ...(said ?? BUSY), passes: true };
  return said ?? unknownRefusal(error);
}

function unknownRefusal({ causes }: KubernetesRefusal): PodTrouble {
  const fields = causes.map(
    ({ field = '', message: why = '' }) => `${field.replace(/^.*\.spec\./, '')}: ${why}`,
  );
  const why = fields.length > 0 ? fields.slice(0, 3).join('; ').slice(0, 400) : undefined;
  return {
    code: 'cluster_refused',
    sentence:
      why === undefined
        ? 'The cluster did not take the pod; the log of the data plane has its words.'
        : `The cluster does not take such a pod (${why}).`,
    passes: false,
  };
}
