import type { Deployment } from '../../api/deployments.ts';
import { isServing, servingState } from '../../words/state-rules.ts';

/** Which deployments a list shows. Pure. */

export const LIST_STATES = ['serving', 'trouble', 'busy', 'unused', 'bin'] as const;
export type ListState = (typeof LIST_STATES)[number];

export interface ListSearch {
  readonly q?: string | undefined;
  readonly state?: ListState | undefined;
}

export const stateLabels: Readonly<Record<ListState, string>> = {
  serving: 'Serving',
  trouble: 'In trouble',
  busy: 'On its way',
  unused: 'Idle',
  bin: 'In the bin',
};

type ListRow = Parameters<typeof servingState>[0] & Pick<Deployment, 'name' | 'display_name' | 'id'>;

const isIn: Readonly<Record<Exclude<ListState, 'bin'>, (deployment: ListRow) => boolean>> = {
  serving: isServing,
  trouble: (deployment) => ['bad', 'warn'].includes(servingState(deployment).tone),
  busy: (deployment) => servingState(deployment).tone === 'busy',
  unused: ({ status, active_revision_id }) => status === 'UNUSED' && active_revision_id !== null,
};

/** Those whose name or id has all of the words, and that are in the state. */
export function matchingDeployments<D extends ListRow>(
  all: readonly D[],
  { q = '', state }: ListSearch,
): D[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((deployment) => {
    const text = `${deployment.name} ${deployment.display_name ?? ''} ${deployment.id}`.toLowerCase();
    const isInState = state === undefined || state === 'bin' || isIn[state](deployment);
    return isInState && words.every((word) => text.includes(word));
  });
}
