import { useInfiniteQuery } from '@tanstack/react-query';
import { agentAt } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import type { StoreSearch } from './store-rules.ts';

const MOST = 200;

interface NamespacesProps {
  readonly slug: string;
  readonly search: StoreSearch;
}

/** The namespaces that hold items; one shows what is in it and below. */
export function Namespaces({ slug, search }: NamespacesProps) {
  const namespaces = useInfiniteQuery({
    queryKey: ['store', slug, 'namespaces'],
    queryFn: async ({ signal, pageParam }) => {
      const found = await agentAt(slug).listNamespaces({ body: { limit: MOST, offset: pageParam }, signal });
      return found.namespaces.map((labels) => labels.join('.'));
    },
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < MOST ? undefined : all.flat().length),
  });
  return (
    <nav
      aria-label="Namespaces"
      className="hidden w-56 shrink-0 flex-col overflow-y-auto border-r border-line bg-card py-2 md:flex"
    >
      <h2 className="px-3 pb-1 font-semibold">Namespaces</h2>
      <Answer of={namespaces}>
        {({ pages }) => (
          <ul>
            {[undefined, ...pages.flat()].map((namespace) => (
              <li key={namespace ?? ''}>
                <GoTo
                  target={at.talkPart(slug, 'store', { ...search, namespace, item: undefined })}
                  aria-current={namespace === search.namespace ? 'true' : undefined}
                  className={`block truncate px-3 py-1 hover:underline ${namespace === search.namespace ? 'bg-accent-soft font-medium' : ''}`}
                >
                  {namespace ?? 'All'}
                </GoTo>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <NextPageButton of={namespaces} small look="quiet" className="m-2">
        Show more
      </NextPageButton>
    </nav>
  );
}
