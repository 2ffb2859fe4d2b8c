import type { Usage } from './run-operation.ts';

/**
 * Tokens and costs of a model call, where clients put them: `usage_metadata` in the outputs or in the
 * metadata, in the message of a generation, or LangChain's older `llm_output.token_usage`.
 */

type Free = Readonly<Record<string, unknown>>;

export function usageOf(payloads: {
  readonly outputs?: unknown;
  readonly extra?: unknown;
}): Usage | undefined {
  const outputs = record(payloads.outputs);
  const metadata = record(record(payloads.extra)['metadata']);
  return (
    fromUsageMetadata(outputs['usage_metadata']) ??
    fromGenerations(outputs['generations']) ??
    fromTokenUsage(outputs) ??
    fromUsageMetadata(metadata['usage_metadata'])
  );
}

function fromUsageMetadata(value: unknown): Usage | undefined {
  const usage = record(value);
  const prompt = count(usage['input_tokens']);
  const completion = count(usage['output_tokens']);
  const total = count(usage['total_tokens']);
  const costs = {
    prompt_cost: cost(usage['input_cost']),
    completion_cost: cost(usage['output_cost']),
    total_cost: cost(usage['total_cost']) ?? sumOfCosts(usage['input_cost'], usage['output_cost']),
  };
  if ([prompt, completion, total, costs.total_cost].every((one) => one === undefined)) return undefined;
  return { ...tokens(prompt, completion, total), ...costs };
}

/** No model gives as many; what is beyond is not looked at. */
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
    : tokens(prompt, completion, total);
}

function tokens(prompt: number | undefined, completion: number | undefined, total: number | undefined) {
  const prompt_tokens = prompt ?? 0;
  const completion_tokens = completion ?? 0;
  return { prompt_tokens, completion_tokens, total_tokens: total ?? prompt_tokens + completion_tokens };
}

function added(a: Usage, b: Usage): Usage {
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    prompt_cost: sumOfCosts(a.prompt_cost, b.prompt_cost),
    completion_cost: sumOfCosts(a.completion_cost, b.completion_cost),
    total_cost: sumOfCosts(a.total_cost, b.total_cost),
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < Number.MAX_SAFE_INTEGER
    ? Math.round(value)
    : undefined;

/** Costs come as numbers or as decimal text. */
function cost(value: unknown): string | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) < 1e15
    ? decimal(number)
    : undefined;
}

function sumOfCosts(a: unknown, b: unknown): string | undefined {
  const known = [cost(a), cost(b)].filter((one) => one !== undefined);
  return known.length === 0 ? undefined : decimal(known.reduce((sum, one) => sum + Number(one), 0));
}

/** Without an exponent, to a trillionth. */
const decimal = (value: number) => value.toFixed(12).replace(/\.?0+$/, '');

function record(value: unknown): Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
}
