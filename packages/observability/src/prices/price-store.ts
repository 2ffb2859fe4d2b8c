import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { ModelPrice } from './price-rules.ts';
import type { RowKey } from '../values/keys.ts';

/** The prices of models, by workspace. */

const columns = `id, workspace_id as tenant_id, name, start_time, match_path, match_pattern, provider, prompt_cost::text as prompt_cost,
  completion_cost::text as completion_cost, prompt_cost_details, completion_cost_details, created_at`;

export type WrittenPrice = Omit<ModelPrice, 'tenant_id' | 'created_at'>;

export async function listPrices(db: Queryable, workspace_id: string): Promise<ModelPrice[]> {
  return db.query<ModelPrice>(
    `select ${columns} from traces.model_prices where workspace_id = $1 order by name, start_time nulls first, id`,
    [workspace_id],
  );
}

/** The limit on prices, since all patterns of a workspace are compiled together. */
const MAX_PRICES = 500;

/** @throws Problem `conflict` where the workspace has reached its limit of prices. */
export async function insertPrice(
  db: Queryable,
  workspace_id: string,
  price: WrittenPrice,
): Promise<ModelPrice> {
  const inserted = await db.maybe<ModelPrice>(
    `insert into traces.model_prices (workspace_id, id, name, start_time, match_path, match_pattern, provider,
       prompt_cost, completion_cost, prompt_cost_details, completion_cost_details)
     select $1::uuid, $2::uuid, $3, $4::timestamptz, $5::text[], $6, $7, $8::numeric, $9::numeric, $10::jsonb, $11::jsonb
     where (select count(*) from traces.model_prices where workspace_id = $1) < ${MAX_PRICES} returning ${columns}`,
    [workspace_id, ...valuesOf(price)],
  );
  if (inserted === undefined)
    throw new Problem('conflict', `A workspace has ${MAX_PRICES} prices of models at most.`);
  return inserted;
}

/** Undefined where no such price exists. */
export async function updatePrice(
  db: Queryable,
  workspace_id: string,
  price: WrittenPrice,
): Promise<ModelPrice | undefined> {
  return db.maybe<ModelPrice>(
    `update traces.model_prices set name = $3, start_time = $4, match_path = $5, match_pattern = $6, provider = $7,
       prompt_cost = $8, completion_cost = $9, prompt_cost_details = $10, completion_cost_details = $11,
       updated_at = now()
     where workspace_id = $1 and id = $2 returning ${columns}`,
    [workspace_id, ...valuesOf(price)],
  );
}

const valuesOf = (price: WrittenPrice) => [
  price.id,
  price.name,
  price.start_time,
  price.match_path,
  price.match_pattern,
  price.provider,
  price.prompt_cost,
  price.completion_cost,
  price.prompt_cost_details === null ? null : JSON.stringify(price.prompt_cost_details),
  price.completion_cost_details === null ? null : JSON.stringify(price.completion_cost_details),
];

export async function deletePrice(db: Queryable, { workspace_id, id }: RowKey): Promise<boolean> {
  const deleted = await db.run('delete from traces.model_prices where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  return deleted === 1;
}
