import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { agentAt } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { SearchBox } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { Ago } from '../../ui/time.tsx';
import { ItemDetail } from './store-item.tsx';
import { ItemForm } from './store-item-form.tsx';
import { Namespaces } from './store-namespaces.tsx';
import { itemAt, itemName, type StoreItem, type StoreSearch } from './store-rules.ts';
import { TalkFrame } from './talk-frame.tsx';
import { useSlug } from './talk-address.ts';

const MOST = 50;

const itemsQuery = (slug: string, { namespace, query }: StoreSearch) => ({
  queryKey: ['store', slug, 'items', namespace, query],
  queryFn: async ({
    signal,
    pageParam,
  }: {
    signal: AbortSignal;
    pageParam: number;
  }): Promise<StoreItem[]> => {
    const { items } = await agentAt(slug).searchItems({
      body: {
        namespace_prefix: namespace === undefined ? [] : namespace.split('.'),
        limit: MOST,
        offset: pageParam,
        ...(query !== undefined && { query }),
      },
      signal,
    });
    return items;
  },
  initialPageParam: 0,
  getNextPageParam: (last: StoreItem[], all: StoreItem[][]) =>
    last.length < MOST ? undefined : all.flat().length,
});

/** One item, which may stand beyond the pages that are loaded. */
const itemQuery = (slug: string, name: string | undefined) =>
  queryOptions({
    queryKey: ['store', slug, 'item', name],
    queryFn: async ({ signal }): Promise<StoreItem | null> => {
      const place = itemAt(name ?? '');
      if (place === undefined) return null;
      const { namespace, key } = place;
      return agentAt(slug).readItem({ query: { namespace, key }, signal });
    },
  });

/** What agents of a deployment remember beyond their threads. */
export function StorePage() {
  const slug = useSlug();
  const search = useSearch({ strict: false });
  const go = useGo();
  const [isNew, setNew] = useState(false);
  const items = useInfiniteQuery(itemsQuery(slug, search));
  const show = (change: StoreSearch) => go(at.talkPart(slug, 'store', { ...search, ...change }));
  const loaded = items.data?.pages.flat().find((item) => itemName(item) === search.item);
  const isFar = items.isSuccess && loaded === undefined && search.item !== undefined;
  const far = useQuery({ ...itemQuery(slug, search.item), enabled: isFar });
  const chosen = loaded ?? (isFar ? (far.data ?? undefined) : undefined);
  useShortcuts([{ key: 'n', does: 'Put an item', needs: 'agents:invoke', run: () => setNew(true) }]);
  return (
    <TalkFrame
      slug={slug}
      title="Store"
      actions={
        <Button look="main" needs="agents:invoke" onClick={() => setNew(true)}>
          <Icon name="plus" /> Put an item
        </Button>
      }
    >
      <div className="flex min-h-0 flex-1">
        <Namespaces slug={slug} search={search} />
        <div className={`flex min-w-0 flex-1 flex-col ${chosen === undefined ? '' : 'max-lg:hidden'}`}>
          <SearchItems search={search} onSearch={(query) => show({ query, item: undefined })} />
          <Answer of={items}>
            {({ pages }) =>
              pages.flat().length === 0 ? (
                <NoItems isFiltered={search.query !== undefined || search.namespace !== undefined} />
              ) : (
                <DataTable
                  label="Items"
                  rows={pages.flat()}
                  columns={columns}
                  keyOf={itemName}
                  selected={search.item}
                  targetOf={(item) => at.talkPart(slug, 'store', { ...search, item: itemName(item) })}
                  {...endOf(items)}
                />
              )
            }
          </Answer>
        </div>
        {chosen !== undefined && (
          <ItemDetail
            key={itemName(chosen)}
            slug={slug}
            item={chosen}
            onClose={() => show({ item: undefined })}
          />
        )}
      </div>
      {isNew && <ItemForm slug={slug} namespace={search.namespace} onClose={() => setNew(false)} />}
    </TalkFrame>
  );
}

interface SearchItemsProps {
  readonly search: StoreSearch;
  readonly onSearch: (query: string | undefined) => void;
}

function SearchItems({ search, onSearch }: SearchItemsProps) {
  const [words, setWords] = useState(search.query ?? '');
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(words === '' ? undefined : words);
      }}
    >
      <SearchBox
        label="What items are about"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Button type="submit">Search</Button>
      {search.namespace !== undefined && <span className="text-quiet">in {search.namespace}</span>}
    </form>
  );
}

const columns: readonly Column<StoreItem>[] = [
  {
    id: 'key',
    header: 'Key',
    sort: ({ key }) => key,
    cell: ({ key }) => <span className="font-medium">{key}</span>,
  },
  {
    id: 'namespace',
    header: 'Namespace',
    sort: ({ namespace }) => namespace.join('.'),
    cell: ({ namespace }) => namespace.join('.'),
  },
  {
    id: 'value',
    header: 'Value',
    width: 'minmax(10rem, 2fr)',
    cell: ({ value }) => <code className="text-xs text-quiet">{JSON.stringify(value).slice(0, 200)}</code>,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '8rem',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

const NoItems = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No item is like that">Search for other words, or in another namespace.</Empty>
  ) : (
    <Empty title="The store is empty">
      <p>
        Agents keep here what outlives a thread: <code>store.put(namespace, key, value)</code> in a node. Or
        put an item yourself.
      </p>
    </Empty>
  );
