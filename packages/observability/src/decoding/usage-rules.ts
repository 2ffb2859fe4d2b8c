import { columnText } from '../values/column-text-rules.ts';
import { addedCosts, addedDetails, decimal } from '../records/amount-rules.ts';
import { tokensOf } from './token-rules.ts';
import type { Costs, Details, Usage } from '../records/run-operation.ts';

/**
 * Tokens and costs of a model call, where clients put them: `usage_metadata` in the outputs or in the
 * metadata, in the message of a generation, or LangChain's older `llm_output.token_usage`.
 */

type Free = Readonly<Record<string, unknown>>;

/** The outputs win; costs that only the metadata have are taken from there. */
export function usageOf(payloads: {
  readonly outputs?: unknown;
  readonly extra?: unknown;
}): Usage | undefined {
  const outputs = record(payloads.outputs);
  const metadata = record(record(payloads.extra)['metadata']);
  const said =
    fromUsageMetadata(outputs['usage_metadata']) ??
    fromGenerations(outputs['generations']) ??
    fromTokenUsage(outputs);
  const beside = fromUsageMetadata(metadata['usage_metadata']);
  if (said === undefined || beside === undefined) return said ?? beside;
  return said.total_cost === undefined ? { ...said, ...costsIn(beside) } : said;
}

function costsIn(usage: Usage): Costs {
  const { prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details } = usage;
  return { prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details };
}

function fromUsageMetadata(value: unknown): Usage | undefined {
  const usage = record(value);
  const prompt = count(usage['input_tokens']);
  const completion = count(usage['output_tokens']);
  const total = count(usage['total_tokens']);
  const prompt_cost = cost(usage['input_cost']);
  const completion_cost = cost(usage['output_cost']);
  const total_cost = cost(usage['total_cost']) ?? addedCosts(prompt_cost, completion_cost);
  if ([prompt, completion, total, total_cost].every((one) => one === undefined)) return undefined;
  const prompt_token_details = details(usage['input_token_details'], count);
  const completion_token_details = details(usage['output_token_details'], count);
  return {
    ...tokensOf({ prompt, completion, total, prompt_token_details, completion_token_details }),
    prompt_token_details,
    completion_token_details,
    prompt_cost,
    completion_cost,
    total_cost,
    prompt_cost_details: details(usage['input_cost_details'], costNumber),
    completion_cost_details: details(usage['output_cost_details'], costNumber),
  };
}

/** No model returns as many; further ones are not looked at. */
const MAX_GENERATIONS = 100;
const firstOnes = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list.slice(0, MAX_GENERATIONS) : [list];

/** One prompt has one list of candidates; several prompts add up. */
function fromGenerations(value: unknown): Usage | undefined {
  if (!Array.isArray(value)) return undefined;
  const usages = value
    .slice(0, MAX_GENERATIONS)
    .flatMap(firstOnes)
    .flatMap((generation: unknown) => {
      const message = record(record(generation)['message']);
      const kwargs = record(message['kwargs']);
      return fromUsageMetadata(kwargs['usage_metadata'] ?? message['usage_metadata']) ?? [];
    });
  const [first, ...others] = usages;
  return first === undefined ? undefined : others.reduce(added, first);
}

function fromTokenUsage(outputs: Free): Usage | undefined {
  const output = record(outputs['llm_output'] ?? outputs['llmOutput']);
  const usage = record(output['token_usage'] ?? output['tokenUsage']);
  const prompt = count(usage['prompt_tokens'] ?? usage['promptTokens']);
  const completion = count(usage['completion_tokens'] ?? usage['completionTokens']);
  const total = count(usage['total_tokens'] ?? usage['totalTokens']);
  return prompt === undefined && completion === undefined && total === undefined
    ? undefined
    : tokensOf({ prompt, completion, total });
}

function added(a: Usage, b: Usage): Usage {
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    prompt_token_details: addedDetails(a.prompt_token_details, b.prompt_token_details),
    completion_token_details: addedDetails(a.completion_token_details, b.completion_token_details),
    prompt_cost: addedCosts(a.prompt_cost, b.prompt_cost),
    completion_cost: addedCosts(a.completion_cost, b.completion_cost),
    total_cost: addedCosts(a.total_cost, b.total_cost),
    prompt_cost_details: addedDetails(a.prompt_cost_details, b.prompt_cost_details),
    completion_cost_details: addedDetails(a.completion_cost_details, b.completion_cost_details),
  };
}

/** The limit on tokens, more than any call uses; a workspace's sums of so many stay exact. */
const MAX_TOKENS = 2_147_483_647;

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_TOKENS
    ? Math.round(value)
    : undefined;

/** Costs come as numbers or as decimal text. */
function cost(value: unknown): string | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) < 1e15
    ? decimal(number)
    : undefined;
}

function costNumber(value: unknown): number | undefined {
  const text = cost(value);
  return text === undefined ? undefined : Number(text);
}

const MAX_DETAILS = 50;
const DETAIL_LENGTH = 100;

/** Undefined where it has no details. */
function details(value: unknown, read: (value: unknown) => number | undefined): Details | undefined {
  const entries = Object.entries(record(value))
    .slice(0, MAX_DETAILS)
    .flatMap(([name, one]) => {
      const amount = read(one);
      return amount === undefined ? [] : [[columnText(name, DETAIL_LENGTH), amount] as const];
    });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function record(value: unknown): Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
}
