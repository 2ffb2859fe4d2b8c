import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** The prices of models: they price runs that call a model and report no costs of their own. */

/** A price per token; a number, or decimal text. Kept as decimal text. */
const Rate = z
  .union([z.number(), z.string().regex(/^\d{1,9}(\.\d{1,18})?(e-?\d{1,2})?$/i)])
  .refine((rate) => Number(rate) >= 0 && Number(rate) < 1e9, 'must be from 0 to 1,000,000,000')
  .transform((rate) => Number(rate).toFixed(18));
/** Prices of one kind of tokens: `cache_read`, `audio`, `reasoning`, … */
const Rates = z
  .record(WellFormedText.min(1).max(100), Rate)
  .refine((rates) => Object.keys(rates).length <= 50, 'must name 50 kinds at most')
  .nullish();

const ModelPath = z.enum(['model', 'model_name', 'model_id', 'model_path', 'endpoint_name']);

const ModelPriceSent = z
  .object({
    name: WellFormedText.min(1).max(200),
    /** The time from which on it holds; absent: always. */
    start_time: WellFormedText.nullish(),
    /** The keys of `invocation_params` that name the model, for runs without `ls_model_name`. */
    match_path: z.array(ModelPath).min(1).max(5).default(ModelPath.options),
    /** A regular expression in the syntax of RE2, searched for in the name of the model. */
    match_pattern: WellFormedText.min(1).max(500),
    /** Only for this `ls_provider`. */
    provider: WellFormedText.min(1).max(200).nullish(),
    prompt_cost: Rate,
    completion_cost: Rate,
    prompt_cost_details: Rates,
    completion_cost_details: Rates,
  })
  .meta({ id: 'ModelPriceSent' });
export type ModelPriceSent = z.output<typeof ModelPriceSent>;

const rates = z.record(z.string(), z.number()).nullable();
const ModelPrice = z
  .object({
    id: z.string(),
    /** The workspace; the original's own prices, which do not exist here, have none. */
    tenant_id: z.string(),
    name: z.string(),
    start_time: z.string().nullable(),
    match_path: z.array(z.string()),
    match_pattern: z.string(),
    provider: z.string().nullable(),
    prompt_cost: z.number(),
    completion_cost: z.number(),
    prompt_cost_details: rates,
    completion_cost_details: rates,
    created_at: z.string(),
  })
  .meta({ id: 'ModelPrice' });

/** How far the prices are applied to stored runs. */
const ModelPriceApplication = z
  .object({
    id: z.string(),
    status: z.enum(['running', 'done']),
    requested_at: z.string(),
    finished_at: z.string().nullable(),
    runs_seen: z.number(),
    runs_changed: z.number(),
  })
  .meta({ id: 'ModelPriceApplication' });

const admin = { ...v1, access: 'workspaces:admin' } as const;
const read = { ...v1, access: 'usage:read' } as const;
const params = z.object({ price_id: Uuid });
const example = {
  body: {
    name: 'example-model',
    match_pattern: '^example-model(-\\d+)?$',
    provider: 'example',
    prompt_cost: '0.000002',
    completion_cost: '0.000008',
    prompt_cost_details: { cache_read: '0.0000005' },
  },
};

export const prices = {
  listModelPrices: endpoint({
    ...read,
    method: 'GET',
    path: '/model-price-map',
    summary: 'List the prices of models',
    success: { status: 200, body: z.array(ModelPrice) },
  }),
  createModelPrice: endpoint({
    ...admin,
    method: 'POST',
    path: '/model-price-map',
    summary: 'Add the price of a model, per token; runs that come from now on are priced by it',
    errors: [409],
    body: ModelPriceSent,
    success: { status: 200, body: ModelPrice },
    example,
  }),
  applyModelPrices: endpoint({
    ...admin,
    method: 'POST',
    path: '/model-price-map/apply',
    summary: 'Recompute the costs of stored runs at the present prices; sent costs stay',
    body: z.object({}),
    success: { status: 202, body: ModelPriceApplication },
    example: { body: {} },
  }),
  readModelPriceApplication: endpoint({
    ...read,
    method: 'GET',
    path: '/model-price-map/apply',
    summary: 'Read how far the prices were applied to stored runs',
    success: { status: 200, body: ModelPriceApplication },
    errors: [404],
  }),
  putModelPrice: endpoint({
    ...admin,
    method: 'PUT',
    path: '/model-price-map/{price_id}',
    summary: 'Change the price of a model',
    params,
    body: ModelPriceSent,
    success: { status: 200, body: ModelPrice },
    errors: [404],
    example,
  }),
  deleteModelPrice: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/model-price-map/{price_id}',
    summary: 'Remove the price of a model; runs keep the costs that they have',
    params,
    success: { status: 200, body: z.object({ message: z.string() }) },
    errors: [404],
  }),
};
