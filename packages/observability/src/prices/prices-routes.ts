import type { ModelPriceSent, prices } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { sentInstant } from '../values/instant-rules.ts';
import { checkPattern } from './price-pattern.ts';
import { applicationAnswer } from './price-application-rules.ts';
import { findApplication, requestApplication } from './price-application-store.ts';
import type { ModelPrice } from './price-rules.ts';
import { deletePrice, insertPrice, listPrices, updatePrice, type WrittenPrice } from './price-store.ts';

type PriceHandlers = Handlers<typeof prices>;

/**
 * @param options.changed is called with the workspace whose prices changed, `requested` with the one whose runs are
 * to be priced again.
 */
export function priceHandlers({
  db,
  changed,
  requested,
}: {
  readonly db: Database;
  readonly changed: (workspace_id: string) => void;
  readonly requested: (workspace_id: string) => void;
}): PriceHandlers {
  return {
    listModelPrices: async ({ workspace_id }) => (await listPrices(db, workspace_id)).map(priceAnswer),
    createModelPrice: async ({ workspace_id, body }) => {
      const price = await insertPrice(db, workspace_id, writtenPrice(uuidv7(), body));
      changed(workspace_id);
      return priceAnswer(price);
    },
    putModelPrice: async ({ workspace_id, params, body }) => {
      const price = await updatePrice(db, workspace_id, writtenPrice(params.price_id, body));
      if (price === undefined) throw noSuchPrice();
      changed(workspace_id);
      return priceAnswer(price);
    },
    deleteModelPrice: async ({ workspace_id, params }) => {
      if (!(await deletePrice(db, { workspace_id, id: params.price_id }))) throw noSuchPrice();
      changed(workspace_id);
      return { message: 'The price is removed.' };
    },
    applyModelPrices: async ({ workspace_id }) => {
      const application = await requestApplication(db, { workspace_id, id: uuidv7() });
      requested(workspace_id);
      return applicationAnswer(application);
    },
    readModelPriceApplication: async ({ workspace_id }) => {
      const application = await findApplication(db, workspace_id);
      if (application === undefined)
        throw new Problem('not_found', 'The prices of this workspace were never applied to stored runs.');
      return applicationAnswer(application);
    },
  };
}

function writtenPrice(id: string, sent: ModelPriceSent): WrittenPrice {
  checkPattern(sent.match_pattern);
  return {
    id,
    name: sent.name,
    start_time: sentInstant(sent.start_time, ['body', 'start_time']) ?? null,
    match_path: sent.match_path,
    match_pattern: sent.match_pattern,
    provider: sent.provider ?? null,
    prompt_cost: sent.prompt_cost,
    completion_cost: sent.completion_cost,
    prompt_cost_details: sent.prompt_cost_details ?? null,
    completion_cost_details: sent.completion_cost_details ?? null,
  };
}

const numbers = (rates: Readonly<Record<string, string>> | null) =>
  rates && Object.fromEntries(Object.entries(rates).map(([kind, rate]) => [kind, Number(rate)]));

const priceAnswer = (price: ModelPrice) => ({
  ...price,
  match_path: [...price.match_path],
  prompt_cost: Number(price.prompt_cost),
  completion_cost: Number(price.completion_cost),
  prompt_cost_details: numbers(price.prompt_cost_details),
  completion_cost_details: numbers(price.completion_cost_details),
});

const noSuchPrice = () => new Problem('not_found', 'There is no such price.');
