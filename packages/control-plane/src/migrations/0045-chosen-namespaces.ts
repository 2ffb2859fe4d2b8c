import type { Migration } from '@roadstead/postgres';

export const chosenNamespaces: Migration = {
  id: 45,
  name: 'the namespace of each deployment, chosen once',
  // Null outside of clusters, and where the listener is bound to none, until the data plane says what it serves: then it is the first of those.
  sql: `
    alter table assignments add column namespace text;
    update assignments a set namespace = coalesce(
      d.source_config -> 'listener_config' ->> 'cluster_namespace',
      (select bound.name from jsonb_array_elements_text(case jsonb_typeof(l.compute_config -> 'cluster_namespaces')
           when 'array' then l.compute_config -> 'cluster_namespaces' else '[]' end) with ordinality as bound (name, place)
         order by bound.name = any (coalesce(l.served_namespaces, '{}')) desc, bound.place limit 1),
      l.served_namespaces[1])
    from deployments d, listeners l
    where d.id = a.deployment_id and l.id = a.listener_id and l.compute_type = 'cluster'`,
};
