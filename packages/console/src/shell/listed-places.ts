import type { Access } from '@roadstead/contracts';
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query';
import { control, people, traces } from '../api/clients.ts';
import { at, type Target } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { MOST, named, type Place, UUID } from './places-rules.ts';

/** Finds the places that have these words in their name, or whose id it is. */
export type Find = (
  words: string,
  asking: Pick<QueryFunctionContext, 'signal' | 'client'>,
) => Promise<Place[]>;

/** Looks through so many of what the API can't be asked for by its name. */
const LOOKED_THROUGH = 100;
const page = { page_size: LOOKED_THROUGH };

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

/** Finds by its id what may be anywhere, and by words what is among the first of its kind. */
function listed<Thing extends { readonly id: string }>(of: ListedKind<Thing>): Find {
  const { kind, needs, list, read, nameOf, targetOf } = of;
  // Each further letter asks for other words among the same things.
  const all = queryOptions({
    queryKey: ['places', kind],
    queryFn: ({ signal }) => list(signal),
    staleTime: 10_000,
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

/** What is found in short lists: there is no search for it. */
export const listedPlaces: Readonly<Record<string, Find>> = {
  alerts: listed({
    kind: 'alert',
    needs: 'traces:read',
    list: async (signal) => (await traces.listAlerts({ query: page, signal })).items,
    read: (alert_id, signal) => traces.readAlert({ params: { alert_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: ({ id }) => at.alert(id),
  }),
  keys: listed({
    kind: 'key',
    needs: 'keys:admin',
    list: async (signal) => (await people.listApiKeys({ query: page, signal })).items,
    read: (key_id, signal) => people.readApiKey({ params: { key_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('keys'),
  }),
  people: listed({
    kind: 'person',
    needs: 'keys:admin',
    list: async (signal) => (await people.listUsers({ query: page, signal })).items,
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('people'),
  }),
  applications: listed({
    kind: 'application',
    needs: 'keys:admin',
    list: async (signal) => (await people.listGrants({ query: page, signal })).items,
    nameOf: ({ client_name, client_id }) => client_name ?? client_id,
    targetOf: () => at.settings('applications'),
  }),
  listeners: listed({
    kind: 'listener',
    needs: 'deployments:read',
    list: async (signal) =>
      (await control.listListeners({ query: { limit: LOOKED_THROUGH }, signal })).resources,
    read: (listener_id, signal) => control.readListener({ params: { listener_id }, signal }),
    nameOf: ({ compute_id }) => compute_id,
    targetOf: () => at.settings('listeners'),
  }),
  integrations: listed({
    kind: 'integration',
    needs: 'deployments:read',
    list: async (signal) => (await control.listIntegrations({ query: page, signal })).items,
    read: (integration_id, signal) => control.readIntegration({ params: { integration_id }, signal }),
    nameOf: ({ name }) => name,
    targetOf: () => at.settings('integrations'),
  }),
  webhooks: listed({
    kind: 'webhook',
    needs: 'deployments:read',
    list: async (signal) => (await control.listWebhooks({ query: page, signal })).items,
    read: (webhook_id, signal) => control.readWebhook({ params: { webhook_id }, signal }),
    nameOf: ({ url }) => url,
    targetOf: ({ id }) => at.webhook(id),
  }),
};
