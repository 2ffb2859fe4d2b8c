import { ALL_WORKSPACES } from '@roadstead/contracts';
import type { Place } from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/postgres';

/** Where agents of deployments are called: at instances of the platform's own listener that say so. Nobody else's address is one that an edge calls. */

const from = `from assignments a
    join deployments d on d.id = a.deployment_id
    join listener_instances i on i.listener_id = a.listener_id and i.name = a.instance
    join listeners l on l.id = a.listener_id and l.workspace_id = '${ALL_WORKSPACES}'
  where i.address is not null and not a.removed`;

const live = `select distinct i.address from listener_instances i
    join listeners l on l.id = i.listener_id and l.workspace_id = '${ALL_WORKSPACES}'
  where i.address is not null and i.lease_expires_at > now()`;

/** Changes with each of them, and with the addresses. */
export async function readPlacesVersion(db: Queryable): Promise<string> {
  const row = await db.one<{ version: string }>(
    `select md5(concat_ws(';',
       (select string_agg(concat_ws(' ', d.slug, i.address, d.source_config ->> 'custom_url'), ',' order by d.id) ${from}),
       (select string_agg(address, ',' order by address) from (${live}) as l))) as version`,
  );
  return row.version;
}

/** Addresses of all data planes that hold a lease. */
export async function listAddresses(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ address: string }>(`${live} order by address`);
  return rows.map((one) => one.address);
}

/** All of them, those first whose desired state is the oldest. */
export async function listPlaces(db: Queryable): Promise<Place[]> {
  return db.query<Place>(
    `select d.slug, i.address, d.source_config ->> 'custom_url' as custom_url ${from} order by a.generation, d.id`,
  );
}
