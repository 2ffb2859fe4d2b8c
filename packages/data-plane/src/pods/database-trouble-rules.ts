import type { DatabaseCluster, Pod } from '@roadstead/kubernetes';
import { clusterTrouble } from './cluster-trouble.ts';
import type { PodTrouble, TroubleRow } from './pod-trouble.ts';
import { podTrouble } from './pod-trouble-rules.ts';
import { findTrouble } from './word-table-rules.ts';

/** The container of a pod of CloudNativePG in which PostgreSQL runs. */
const CONTAINER = 'postgres';

/** What an API server says of a Cluster that it does not take; what it says of other objects is said of these, too. */
const refusals: readonly TroubleRow[] = [
  {
    words: /failed calling webhook "[^"]*cnpg\.io"/,
    code: 'database_operator_away',
    sentence: () =>
      'The operator CloudNativePG, which makes the database of the deployment, does not answer the cluster.',
    passes: true,
  },
  {
    words: /could not find the requested resource|no matches for kind/,
    code: 'database_operator_missing',
    sentence: () =>
      'Deployments of this listener get databases by CloudNativePG, and the cluster does not have that (clusters.postgresql.cnpg.io).',
  },
  {
    words:
      /admission webhook "[^"]*cnpg\.io" denied the request: (?<why>[\s\S]*)|Cluster(?:\.postgresql\.cnpg\.io)? "[^"]*" is invalid: (?<fields>[\s\S]*)/,
    code: 'database_refused',
    sentence: ({ why, fields }) => `CloudNativePG does not take such a database: ${quoted(why ?? fields)}.`,
  },
];

/** @param error of a call that was about a Cluster */
export function databaseRefusal(error: unknown): PodTrouble {
  const cause = (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : error;
  return findTrouble(refusals, (cause as Error).message) ?? clusterTrouble(error);
}

/** Phases of CloudNativePG that nothing but a change ends. All others it works on. */
const phases: readonly TroubleRow[] = [
  {
    words: /^Cluster is unrecoverable/,
    code: 'database_lost',
    sentence: () => 'CloudNativePG can’t get the database of the deployment to run again.',
  },
  {
    words: /^Invalid cluster definition(?: (?<why>[\s\S]*))?/,
    code: 'database_refused',
    sentence: ({ why }) => `CloudNativePG does not take such a database: ${quoted(why)}.`,
  },
];

/** Why a database server is not ready; undefined where it is. */
export function databaseTrouble(
  { status }: DatabaseCluster,
  { pods }: { readonly pods: readonly Pod[] },
): PodTrouble | undefined {
  if (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return undefined;
  const { phase, phaseReason = '' } = status ?? {};
  if (phase === undefined)
    return {
      code: 'database_operator_away',
      sentence:
        'CloudNativePG has not begun with the database of the deployment: its operator may not run, or not look after the namespace.',
      passes: true,
    };
  const found = findTrouble(phases, `${phase} ${phaseReason}`.trim());
  if (found !== undefined) return found;
  for (const pod of pods) {
    const trouble = podTrouble(pod, { events: [], container: CONTAINER });
    if (trouble !== undefined)
      return {
        code: `database_${trouble.code}`,
        sentence: `The database of the deployment does not run. ${trouble.sentence}`,
        passes: true,
      };
  }
  const why = phaseReason === '' ? '' : ` (${quoted(phaseReason)})`;
  return {
    code: 'database_not_ready',
    sentence: `The database of the deployment is not ready: ${quoted(phase)}${why}.`,
    passes: true,
  };
}

/** Words of others, cut where they are long. */
function quoted(words = ''): string {
  const text = words.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
  return text.length > 400 ? `${text.slice(0, 400).toWellFormed()} …` : text;
}
