import type { Scenario } from '../calls/call.ts';

const space = ['compared', '$client'];

export const store: readonly Scenario[] = [
  {
    name: 'store',
    project: 'open',
    calls: [
      { method: 'store.put_item', at: [space, 'one', { text: 'x', size: 1 }] },
      { method: 'store.put_item', at: [space, 'two', { text: 'y', size: 2, deep: { of: [1, null] } }] },
      {
        method: 'store.put_item',
        at: [[...space, 'more'], 'three', { text: 'x', size: 3 }],
        with: { index: false },
      },
      { method: 'store.get_item', at: [space, 'one'] },
      { method: 'store.get_item', at: [space, 'nothing'] },
      { method: 'store.put_item', at: [space, 'one', { text: 'z', size: 4 }] },
      { method: 'store.get_item', at: [space, 'one'] },
      { method: 'store.search_items', at: [space], unordered: true },
      { method: 'store.search_items', at: [space], with: { filter: { text: 'x' } }, unordered: true },
      { method: 'store.search_items', at: [space], with: { filter: { size: { $gt: 2 } } }, unordered: true },
      { method: 'store.search_items', at: [space], with: { limit: 1, offset: 5 } },
      { method: 'store.search_items', at: [['compared-nothing']] },
      { method: 'store.list_namespaces', with: { prefix: space } },
      { method: 'store.list_namespaces', with: { prefix: ['compared'], max_depth: 1 } },
      { method: 'store.list_namespaces', with: { suffix: ['more'], prefix: space } },
      { method: 'store.delete_item', at: [space, 'one'] },
      { method: 'store.get_item', at: [space, 'one'] },
      { method: 'store.delete_item', at: [space, 'nothing'] },
      { method: 'store.put_item', at: [['a.b'], 'one', {}] },
      { method: 'store.put_item', at: [[], 'one', { a: 1 }] },
      { method: 'http', with: { method: 'PUT', path: '/store/items', body: { namespace: ['a'], key: 'x' } } },
      {
        method: 'http',
        with: { method: 'PUT', path: '/store/items', body: { namespace: ['a'], key: 'x', value: 'text' } },
      },
      { method: 'http', with: { method: 'POST', path: '/store/items/search', body: { limit: 0 } } },
    ],
  },
];
