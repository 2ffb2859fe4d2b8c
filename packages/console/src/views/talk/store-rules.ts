import { type Search, textIn } from '../../router/search.ts';

/** Items of the store, as the console names them. Labels of a namespace hold no dot. */
export interface StoreItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Record<string, unknown>;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface StoreSearch {
  readonly namespace?: string | undefined;
  readonly query?: string | undefined;
  readonly item?: string | undefined;
}

export const storeSearch = (search: Search): StoreSearch => ({
  namespace: textIn(search, 'namespace'),
  query: textIn(search, 'query'),
  item: textIn(search, 'item'),
});

export const itemName = ({ namespace, key }: Pick<StoreItem, 'namespace' | 'key'>): string =>
  `${namespace.join('.')}/${key}`;

/** The labels of a namespace as somebody writes it. */
export const labelsOf = (text: string): string[] =>
  text
    .split('.')
    .map((label) => label.trim())
    .filter((label) => label !== '');

/** Where the item is that has a name; labels hold no slash as a rule, keys may. */
export function itemAt(name: string): Pick<StoreItem, 'namespace' | 'key'> | undefined {
  const slash = name.indexOf('/');
  if (slash < 1) return undefined;
  return { namespace: name.slice(0, slash).split('.'), key: name.slice(slash + 1) };
}
