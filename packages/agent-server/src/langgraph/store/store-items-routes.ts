import type { storeEndpoints } from '@roadstead/contracts/agent-server';
import type { StoreOperation } from '@roadstead/contracts/host';
import type { Handlers } from '@roadstead/http';
import { Problem, malformed } from '@roadstead/kit';
import type { Principal } from '@roadstead/contracts';
import type { AccessRules, MetadataFilters } from '../../access/caller.ts';
import { itemFields, matchesFilters } from '../../access/filter-rules.ts';
import type { Item } from '../../store/item-store.ts';
import type { Items } from '../../store/items.ts';
import { jsonAnswer } from '../answers.ts';
import { permit } from '../permission.ts';
import type { Page } from '../../database/page.ts';

export interface StoreRoutesOptions {
  readonly items: Items;
  readonly access: AccessRules;
}

type StoreHandlers = Handlers<typeof storeEndpoints>;
type Search = StoreOperation & { op: 'search' };

/** The handlers of the LangGraph API's store. */
export function createStoreHandlers(options: StoreRoutesOptions): StoreHandlers {
  return { ...byKey(options), ...below(options) };
}

const sees = (filters: MetadataFilters | null) => (item: Pick<Item, 'namespace' | 'key' | 'value'>) =>
  matchesFilters(itemFields(item), filters);

const noItem = () => new Problem('not_found', 'There is no such item.');

function byKey({
  items,
  access,
}: StoreRoutesOptions): Pick<StoreHandlers, 'putItem' | 'readItem' | 'deleteItem'> {
  const find = async (operation: StoreOperation & { op: 'get' }) => {
    const [item] = await items.run([operation]);
    return item as Item | null;
  };
  return {
    putItem: async ({ principal, body }) => {
      const { value, filters } = await permitStore(access, { principal, action: 'put', value: body });
      const [namespace, key] = [namespaceIn(value), keyIn(value)];
      const item = { namespace, key, value: value['value'] as Item['value'] };
      const before = filters === null ? null : await find({ op: 'get', namespace, key, refresh_ttl: false });
      if (before !== null && !sees(filters)(before)) throw noItem();
      if (!sees(filters)(item)) throw new Problem('forbidden', 'You may not store this.');
      const { index, ttl } = body;
      await items.run([
        {
          op: 'put',
          ...item,
          ...(index === undefined || index === null ? {} : { index }),
          ...(ttl === undefined ? {} : { ttl }),
        },
      ]);
    },
    readItem: async ({ principal, query }) => {
      const { namespace: asked, key: name, refresh_ttl } = query;
      const { value, filters } = await permitStore(access, {
        principal,
        action: 'get',
        value: { namespace: asked, key: name },
      });
      const named = { namespace: namespaceIn(value), key: keyIn(value) };
      // Reading must not prolong an item that the caller may not see.
      const item = await find({ op: 'get', ...named, refresh_ttl: false });
      if (item !== null && !sees(filters)(item)) throw noItem();
      if (item !== null) await items.wasRead([item], refresh_ttl);
      return jsonAnswer(item);
    },
    deleteItem: async ({ principal, body }) => {
      const { value, filters } = await permitStore(access, { principal, action: 'delete', value: body });
      const [namespace, key] = [namespaceIn(value), keyIn(value)];
      const before = filters === null ? null : await find({ op: 'get', namespace, key, refresh_ttl: false });
      if (before !== null && !sees(filters)(before)) throw noItem();
      await items.run([{ op: 'put', namespace, key, value: null }]);
    },
  };
}

function below({ items, access }: StoreRoutesOptions): Pick<StoreHandlers, 'searchItems' | 'listNamespaces'> {
  return {
    searchItems: async ({ principal, body }) => {
      const { namespace_prefix, filter, query, refresh_ttl, ...page } = body;
      const [limit, offset] = [page.limit ?? 10, page.offset ?? 0];
      const { value, filters } = await permitStore(access, {
        principal,
        action: 'search',
        value: { namespace: namespace_prefix ?? [], filter, limit, offset, query },
      });
      const search = {
        op: 'search',
        namespace_prefix: namespaceIn(value, 'any'),
        ...(filter ? { filter } : {}),
        ...(query ? { query } : {}),
        refresh_ttl: false,
      } as const;
      const find = async (part: Pick<Search, 'limit' | 'offset'>) =>
        (await items.run([{ ...search, ...part }]))[0] as Item[];
      const found =
        filters === null
          ? await find({ limit, offset })
          : await scanned({ find, isSeen: sees(filters), limit, offset });
      await items.wasRead(found, refresh_ttl);
      return jsonAnswer({ items: found.map((item) => ({ ...item, score: item.score ?? null })) });
    },
    listNamespaces: async ({ principal, body }) => {
      const { prefix, suffix, max_depth, ...page } = body;
      const [limit, offset] = [page.limit ?? 100, page.offset ?? 0];
      const { value, filters } = await permitStore(access, {
        principal,
        action: 'list_namespaces',
        value: { namespace: prefix ?? [], suffix, max_depth, limit, offset },
      });
      const begin = namespaceIn(value, 'any');
      const conditions = [
        ...(begin.length > 0 ? [{ match_type: 'prefix' as const, path: begin }] : []),
        ...(suffix && suffix.length > 0 ? [{ match_type: 'suffix' as const, path: suffix }] : []),
      ];
      const find = async (part: Page) => {
        const depth = max_depth ? { max_depth } : {};
        const list = { op: 'list_namespaces', match_conditions: conditions, ...depth, ...part } as const;
        return (await items.run([list]))[0] as string[][];
      };
      const isSeen = (namespace: string[]) => matchesFilters({ namespace }, filters);
      const namespaces =
        filters === null ? await find({ limit, offset }) : await scanned({ find, isSeen, limit, offset });
      return { namespaces };
    },
  };
}

function permitStore(
  access: AccessRules,
  attempt: {
    readonly principal: Principal;
    readonly action: 'put' | 'get' | 'delete' | 'search' | 'list_namespaces';
    readonly value: Readonly<Record<string, unknown>>;
  },
) {
  return permit(access, { ...attempt, resource: 'store' });
}

const PART = 1000;
const MOST = 10_000;

/**
 * A page of what a caller may see, where each row must be checked.
 * @throws Problem `invalid` where too many would have to be checked
 */
async function scanned<T>({
  find,
  isSeen,
  limit,
  offset,
}: Page & {
  readonly find: (part: Page) => Promise<readonly T[]>;
  readonly isSeen: (one: T) => boolean;
}): Promise<T[]> {
  const seen: T[] = [];
  for (let at = 0; at < MOST; at += PART) {
    const part = await find({ limit: PART, offset: at });
    seen.push(...part.filter(isSeen));
    if (seen.length >= offset + limit || part.length < PART) return seen.slice(offset, offset + limit);
  }
  throw new Problem(
    'invalid',
    `More than ${MOST} would have to be looked at: narrow the namespace or the filter.`,
  );
}

/** The fields of a request, after the deployment's own `auth` may have changed them. */
type Value = Readonly<Record<string, unknown>>;

const isLabel = (label: unknown): label is string =>
  typeof label === 'string' && label !== '' && !label.includes('.');

/** @throws Problem `malformed`: a handler may make an invalid namespace, and then nobody is let in */
function namespaceIn({ namespace }: Value, which: 'own' | 'any' = 'own'): readonly string[] {
  if (Array.isArray(namespace) && namespace.every(isLabel) && (which === 'any' || namespace.length > 0))
    return namespace;
  throw malformed(
    ['body', 'namespace'],
    'as the deployment’s own auth returned it, must be a list of texts that are not empty and have no dots',
  );
}

/** @throws Problem `malformed` */
function keyIn({ key }: Value): string {
  if (typeof key === 'string' && key !== '') return key;
  throw malformed(
    ['body', 'key'],
    'as the deployment’s own auth returned it, must be a text that is not empty',
  );
}
