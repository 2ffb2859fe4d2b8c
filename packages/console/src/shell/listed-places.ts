import type { Access } from '@roadstead/contracts';
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import { control, people, traces } from '../api/clients.ts';
import { allRows, firstRows } from '../api/pages.ts';
import { at, type Target } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { MOST, named, type Place, UUID } from './places-rules.ts';

/** Finds the places that have these words in their name, or whose id it is. */
export type Find = (
  words: string,
  asking: Pick<QueryFunctionContext, 'signal' | 'client'>,
) => Promise<Place[]>;

/** Looks through so many of what the API can't be asked for by its name. */
export const LOOKED_THROUGH = 1000;
const LISTENERS = { size: 100, at_once: 1 };

type Entry = Pick<Place, 'id' | 'name'>;

interface ListedKind<Thing> {
  readonly kind: string;
  readonly needs: Access;
  /** Those among which a name is looked for. */
  readonly list: (signal: AbortSignal) => Promise<readonly Thing[]>;
  /** The one of an id; without it an id is looked for in the list, too. */
  readonly read?: (id: string, signal: AbortSignal) => Promise<Thing>;
  readonly nameOf: (thing: Thing) => string;
  readonly targetOf: (thing: Entry) => Target;
}

/** Finds by its id what may be anywhere, and by words what is among so many of its kind. */
function listed<Thing extends { readonly id: string }>(of: ListedKind<Thing>): Find {
  const { kind, needs, list, read, nameOf, targetOf } = of;
  // Each further letter asks for other words among the same things.
  const all = queryOptions({
    queryKey: ['places', kind],
    queryFn: ({ signal }) => list(signal),
    staleTime: 60_000,
  });
  return async (words, { signal, client }) => {
    if (words === '' || !mayDo(needs)) return [];
    const things =
      UUID.test(words) && read !== undefined
        ? [await read(words.toLowerCase(), signal)]
        : await client.fetchQuery(all);
    return named(
      things.map((thing) => ({ id: thing.id, name: nameOf(thing) })),
      words,
    )
      .slice(0, MOST)
      .map((thing) => ({ kind, ...thing, target: targetOf(thing) }));
  };
}

/** What is found in lists: there is no search for it. */
export const listedPlaces: Readonly<Record<string, Find>> = {
  alerts: listed({
    kind: 'alert',
    needs: 'traces:read',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => traces.listAlerts({ query, signal })),
    read: (alert_id, signal) => traces.readAlert({ params: { alert_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: ({ id }) => at.alert(id),
  }),
  keys: listed({
    kind: 'key',
    needs: 'keys:admin',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => people.listApiKeys({ query, signal })),
    read: (key_id, signal) => people.readApiKey({ params: { key_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('keys'),
  }),
  people: listed({
    kind: 'person',
    needs: 'keys:admin',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => people.listUsers({ query, signal })),
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('people'),
  }),
  applications: listed({
    kind: 'application',
    needs: 'keys:admin',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => people.listGrants({ query, signal })),
    nameOf: ({ client_name, client_id }) => client_name ?? client_id,
    targetOf: () => at.settings('applications'),
  }),
  listeners: listed({
    kind: 'listener',
    needs: 'deployments:read',
    list: (signal) =>
      allRows(
        async (offset) =>
          (await control.listListeners({ query: { limit: LISTENERS.size, offset }, signal })).resources,
        LISTENERS,
      ),
    read: (listener_id, signal) => control.readListener({ params: { listener_id }, signal }),
    nameOf: ({ compute_id }) => compute_id,
    targetOf: () => at.settings('listeners'),
  }),
  integrations: listed({
    kind: 'integration',
    needs: 'deployments:read',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => control.listIntegrations({ query, signal })),
    read: (integration_id, signal) => control.readIntegration({ params: { integration_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('integrations'),
  }),
  webhooks: listed({
    kind: 'webhook',
    needs: 'deployments:read',
    list: (signal) => firstRows(LOOKED_THROUGH, (query) => control.listWebhooks({ query, signal })),
    read: (webhook_id, signal) => control.readWebhook({ params: { webhook_id }, signal }),
    nameOf: ({ url }) => url,
    targetOf: ({ id }) => at.webhook(id),
  }),
  'model providers': listed({
    kind: 'model provider',
    needs: 'prompts:read',
    list: async (signal) => (await traces.listModelProviders({ signal })).items,
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('providers'),
  }),
};
