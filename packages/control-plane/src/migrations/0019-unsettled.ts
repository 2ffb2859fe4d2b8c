import type { Migration } from '@roadstead/postgres';

/** Few rows are ever in these indexes, and they are queried every few seconds among all rows. */
export const unsettled: Migration = {
  id: 19,
  name: 'what may need something is found among many deployments',
  sql: `
    create index revisions_waiting on revisions (deployment_id) where status in ('CREATING', 'QUEUED');
    create index deployments_leaving on deployments (id) where status = 'AWAITING_DELETE';
    create index deployments_in_bin on deployments (purge_at) where status = 'DELETED';
    create index assignments_removed on assignments (deployment_id) where removed;
  `,
};
