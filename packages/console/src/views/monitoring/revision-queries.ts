import { queryOptions } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';
import { fewAtOnce } from '../../api/few-at-once.ts';
import { deploymentChoices } from '../../api/choices.ts';
import { deploymentsQuery } from '../../api/deployments.ts';
import { queryClient } from '../../api/query-client.ts';
import { allRows } from '../../api/pages.ts';
import { mayDo } from '../../session/session.ts';

/** Which revisions served when, and what they are called. */

export interface Switch {
  readonly at_ms: number;
  readonly label: string;
  readonly deployment_id: string;
  readonly revision_id: string;
}

const REFRESH_MS = 30_000;
const PAGE = 100;
/** More marks than these could not be told apart. */
const MOST_MARKS = 50;

interface SwitchesQuestion {
  readonly project: string | undefined;
  readonly deployment: string | undefined;
  readonly period: string;
  readonly ms: number;
}

/** When deployments moved to another revision: the one that is looked at, those of a project, or all; the newest first. */
export const switchesQuery = ({ project, deployment, period, ms }: SwitchesQuestion) =>
  queryOptions({
    queryKey: ['revision switches', project, deployment, period],
    queryFn: async ({ signal }): Promise<Switch[]> => {
      const since = new Date(Date.now() - ms).toISOString();
      const of = deployment === undefined ? await deploymentsOf(project) : [deployment];
      const events = await Promise.all(
        of.map((deployment_id) => switchEvents({ deployment_id, since }, signal)),
      );
      const found = events
        .flat()
        .flatMap(({ at, deployment_id, revision_id }) =>
          deployment_id === null || revision_id === null
            ? []
            : [{ at_ms: Date.parse(at), deployment_id, revision_id }],
        );
      const latest = found.toSorted((one, other) => other.at_ms - one.at_ms).slice(0, MOST_MARKS);
      const ids = [...new Set(latest.map(({ deployment_id }) => deployment_id))];
      const titles = new Map((await Promise.all(ids.map((id) => titlesOf(id)))).flat());
      return latest.map((one) => ({ ...one, label: titles.get(one.revision_id) ?? one.revision_id }));
    },
    enabled: mayDo('deployments:read'),
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });

async function deploymentsOf(project: string | undefined): Promise<readonly (string | undefined)[]> {
  if (project === undefined) return [undefined];
  const all = await queryClient.fetchQuery({ ...deploymentsQuery, staleTime: REFRESH_MS });
  return all.filter(({ tracer_session_id }) => tracer_session_id === project).map(({ id }) => id);
}

interface SwitchEvents {
  readonly deployment_id: string | undefined;
  readonly since: string;
}

async function switchEvents({ deployment_id, since }: SwitchEvents, signal: AbortSignal) {
  const { items } = await control.listEvents({
    query: {
      kind: 'revision.status',
      to: 'DEPLOYED',
      since,
      page_size: MOST_MARKS,
      ...(deployment_id !== undefined && { deployment_id }),
    },
    signal,
  });
  return items;
}

const few = fewAtOnce(4);

/** What the revisions of a deployment are called, by their ids; none where it is gone. */
async function revisionTitles(deployment_id: string): Promise<readonly (readonly [string, string])[]> {
  const name = await queryClient.fetchQuery(deploymentChoices.name(deployment_id));
  if (name === null) return [];
  const revisions = await allRows(
    async (offset) =>
      (await control.listRevisions({ params: { deployment_id }, query: { limit: PAGE, offset } })).resources,
    { size: PAGE, at_once: 4 },
  );
  return revisions.map(({ id, number }) => [id, `${name}, revision ${number}`] as const);
}

const titlesOf = (deployment_id: string) =>
  queryClient.fetchQuery({
    queryKey: ['revisions', 'titles of', deployment_id],
    queryFn: () => few(() => revisionTitles(deployment_id)),
    staleTime: REFRESH_MS,
  });

/** What revisions are called of which nothing but the ids is known, as by the metadata of runs. */
export const revisionTitlesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['revisions', 'titles', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const events = await Promise.all(
        ids
          .filter(isUuid)
          .map((revision_id) => control.listEvents({ query: { revision_id, page_size: 1 }, signal })),
      );
      const deployments = new Set(events.flatMap(({ items }) => items[0]?.deployment_id ?? []));
      return new Map((await Promise.all([...deployments].map((id) => titlesOf(id)))).flat());
    },
    enabled: ids.length > 0 && mayDo('deployments:read'),
    staleTime: 60_000,
  });

/** Runs of other servers may name a revision as they like. */
const isUuid = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
