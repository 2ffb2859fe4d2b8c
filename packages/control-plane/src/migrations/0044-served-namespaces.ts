import type { Migration } from '@roadstead/postgres';

export const servedNamespaces: Migration = {
  id: 44,
  name: 'namespaces that listeners serve',
  // As the data plane reports them; null until it does.
  sql: `alter table listeners add column served_namespaces text[]`,
};
