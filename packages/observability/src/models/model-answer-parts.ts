import type { ChatToolCall, ModelEvent, ModelFailure, ModelUsage } from './model-call.ts';

/** An answer, put together from its events. */
export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly tool_calls: readonly ChatToolCall[];
  /** Undefined where the provider counted nothing. */
  readonly usage: ModelUsage | undefined;
  readonly finish_reason: string | null;
  readonly failure: ModelFailure | undefined;
}

export class ModelAnswerParts {
  readonly #words: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] };
  readonly #calls = new Map<number, { id: string; name: string; arguments: string[] }>();
  #usage: Partial<ModelUsage> | undefined;
  #finish_reason: string | null = null;
  #failure: ModelFailure | undefined;

  /** Whether anything was said yet. */
  get hasBegun(): boolean {
    return this.#words.text.length + this.#words.reasoning.length + this.#calls.size > 0;
  }

  add(event: ModelEvent): void {
    if (event.type === 'text' || event.type === 'reasoning') this.#words[event.type].push(event.text);
    else if (event.type === 'usage') this.#usage = { ...this.#usage, ...event.usage };
    else if (event.type === 'finish') this.#finish_reason = event.reason;
    else if (event.type === 'error') this.#failure = event;
    else {
      const call = this.#calls.get(event.index) ?? { id: '', name: '', arguments: [] };
      call.id ||= event.id ?? '';
      call.name ||= event.name ?? '';
      call.arguments.push(event.arguments);
      this.#calls.set(event.index, call);
    }
  }

  whole(): ModelAnswer {
    const calls = [...this.#calls].toSorted(([a], [b]) => a - b);
    return {
      text: this.#words.text.join(''),
      reasoning: this.#words.reasoning.join(''),
      tool_calls: calls.map(([, call]) => ({ ...call, arguments: call.arguments.join('') })),
      usage: this.#usage && wholeUsage(this.#usage),
      finish_reason: this.#finish_reason,
      failure: this.#failure,
    };
  }
}

/** Some count no total. */
export function wholeUsage(usage: Partial<ModelUsage>): ModelUsage {
  const { input_tokens = 0, output_tokens = 0 } = usage;
  return {
    input_tokens,
    output_tokens,
    total_tokens: Math.max(usage.total_tokens ?? 0, input_tokens + output_tokens),
    input_token_details: usage.input_token_details ?? {},
    output_token_details: usage.output_token_details ?? {},
  };
}
