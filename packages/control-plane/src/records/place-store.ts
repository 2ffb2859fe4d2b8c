import type { Place } from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/postgres';

/** Where agents of deployments are called: at instances that say so. */

const from = `from assignments a
    join deployments d on d.id = a.deployment_id
    join listener_instances i on i.listener_id = a.listener_id and i.name = a.instance
  where i.address is not null and not a.removed`;

/** Changes with each of them. */
export async function readPlacesVersion(db: Queryable): Promise<string> {
  const row = await db.one<{ version: string }>(
    `select md5(coalesce(string_agg(concat_ws(' ', d.slug, i.address, d.source_config ->> 'custom_url'), ','
       order by d.id), '')) as version ${from}`,
  );
  return row.version;
}

/** All of them, oldest deployments first. */
export async function listPlaces(db: Queryable): Promise<Place[]> {
  return db.query<Place>(
    `select d.slug, i.address, d.source_config ->> 'custom_url' as custom_url ${from} order by d.created_at, d.id`,
  );
}
