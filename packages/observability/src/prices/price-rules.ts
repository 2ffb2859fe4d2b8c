import { addedCosts, decimal } from '../records/amount-rules.ts';
import type { Costs, Details, ModelNames, ModelPath, RunFields, Usage } from '../records/run-operation.ts';
import { modelCallTypes } from '../records/run-row.ts';
import type { InWorkspace } from '../values/keys.ts';

/** The price of a model's tokens from a moment on; per token. */
export interface ModelPrice {
  readonly id: string;
  readonly name: string;
  /** ISO text; null = ever since. */
  readonly start_time: string | null;
  readonly match_path: readonly ModelPath[];
  readonly match_pattern: string;
  readonly provider: string | null;
  /** Decimal text. */
  readonly prompt_cost: string;
  readonly completion_cost: string;
  readonly prompt_cost_details: Readonly<Record<string, string>> | null;
  readonly completion_cost_details: Readonly<Record<string, string>> | null;
  readonly tenant_id: string;
  readonly created_at: string;
}

/** The price of a call, if there is one. */
export type PriceOf = (
  call: InWorkspace & {
    readonly model: ModelNames;
    /** ISO text. */
    readonly start_time: string;
  },
) =>
  | Pick<
      ModelPrice,
      'id' | 'prompt_cost' | 'completion_cost' | 'prompt_cost_details' | 'completion_cost_details'
    >
  | undefined;

/** The prices whose pattern and provider fit the model, the preferred one first. */
export function pricesFor(
  prices: readonly ModelPrice[],
  {
    model,
    matches,
  }: { readonly model: ModelNames; readonly matches: (price: ModelPrice, name: string) => boolean },
): ModelPrice[] {
  const fits = (price: ModelPrice) => {
    const name = model.ls_model_name ?? price.match_path.map((path) => model[path]).find(Boolean);
    if (name === undefined || !matches(price, name)) return false;
    return price.provider === null || price.provider.toLowerCase() === model.provider?.toLowerCase();
  };
  return prices.filter(fits).sort(byPreference);
}

/** Orders prices: the latest to begin, then one for the provider, then the latest made. */
function byPreference(a: ModelPrice, b: ModelPrice): number {
  const began = ({ start_time }: ModelPrice) => (start_time === null ? 0 : Date.parse(start_time));
  const forProvider = ({ provider }: ModelPrice) => (provider === null ? 0 : 1);
  return (
    began(b) - began(a) ||
    forProvider(b) - forProvider(a) ||
    Date.parse(b.created_at) - Date.parse(a.created_at) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** The first price that had begun when the call did. */
export function priceAt(prices: readonly ModelPrice[], start_time: string): ModelPrice | undefined {
  const at = Date.parse(start_time);
  return prices.find((price) => price.start_time === null || Date.parse(price.start_time) <= at);
}

type Rates = Omit<NonNullable<ReturnType<PriceOf>>, 'id'>;

export function costsBy(rates: Rates, usage: Usage): Costs {
  const prompt = spent({
    tokens: usage.prompt_tokens,
    details: usage.prompt_token_details,
    rate: rates.prompt_cost,
    rates: rates.prompt_cost_details,
  });
  const completion = spent({
    tokens: usage.completion_tokens,
    details: usage.completion_token_details,
    rate: rates.completion_cost,
    rates: rates.completion_cost_details,
  });
  const [prompt_cost, completion_cost] = [decimal(prompt.cost), decimal(completion.cost)];
  return {
    prompt_cost,
    completion_cost,
    total_cost: addedCosts(prompt_cost, completion_cost),
    prompt_cost_details: prompt.details,
    completion_cost_details: completion.details,
  };
}

/**
 * The cost of tokens: a kind with a rate of its own costs that, the most specific kind first; the rest costs the
 * general rate.
 */
function spent(on: {
  readonly tokens: number;
  readonly details: Details | undefined;
  readonly rate: string;
  readonly rates: Readonly<Record<string, string>> | null;
}): { readonly cost: number; readonly details: Details | undefined } {
  let left = on.tokens;
  let cost = 0;
  const details: Record<string, number> = {};
  const kinds = Object.entries(on.rates ?? {}).sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  for (const [kind, rate] of kinds) {
    const tokens = Math.min(left, on.details?.[kind] ?? 0);
    if (tokens === 0) continue;
    left -= tokens;
    cost += tokens * Number(rate);
    details[kind] = Number(decimal(tokens * Number(rate)));
  }
  const isDetailed = Object.keys(details).length > 0;
  return { cost: cost + left * Number(on.rate), details: isDetailed ? details : undefined };
}

/** Adds costs by the price of the model, where the client sent none. */
export function usageColumns(
  { usage, model, run_type }: Pick<RunFields, 'usage' | 'model' | 'run_type'>,
  price: ReturnType<PriceOf>,
) {
  const isCall = modelCallTypes.includes(run_type ?? '');
  const isPriced = usage !== undefined && isCall && price !== undefined && !hasSentCosts(usage);
  const spent: Usage | undefined = isPriced ? { ...usage, ...costsBy(price, usage) } : usage;
  return {
    prompt_tokens: spent?.prompt_tokens ?? null,
    completion_tokens: spent?.completion_tokens ?? null,
    total_tokens: spent?.total_tokens ?? null,
    prompt_cost: spent?.prompt_cost ?? null,
    completion_cost: spent?.completion_cost ?? null,
    total_cost: spent?.total_cost ?? null,
    prompt_token_details: spent?.prompt_token_details ?? null,
    completion_token_details: spent?.completion_token_details ?? null,
    prompt_cost_details: spent?.prompt_cost_details ?? null,
    completion_cost_details: spent?.completion_cost_details ?? null,
    price_model_id: isPriced ? price.id : null,
    model: model ?? null,
  };
}

/** Costs that the client sent are not computed. */
const hasSentCosts = (usage: Usage): boolean => usage.total_cost !== undefined;

export function withoutCosts(usage: Usage): Usage {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details } =
    usage;
  return { prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details };
}
