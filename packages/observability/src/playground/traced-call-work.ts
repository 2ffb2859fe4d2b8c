import type { ProviderKind } from '@roadstead/contracts/observability';
import type { ModelCall, ModelEvent, OpenProvider } from '../models/model-call.ts';
import { ModelAnswerParts } from '../models/model-answer-parts.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { PlaygroundContext } from './playground-context.ts';
import { failureText, type TracedCall, tracedCall } from './traced-call-rules.ts';

/** A call of a model that becomes a run. */
export interface CallToTrace extends InWorkspace, Pick<TracedCall, 'run_id' | 'metadata' | 'tags' | 'place'> {
  readonly provider: OpenProvider;
  readonly call: ModelCall;
}

export class CallUnderWay {
  readonly #context: PlaygroundContext;
  readonly #asked: CallToTrace;
  readonly #parts = new ModelAnswerParts();
  readonly #start: number;
  #first_token: number | undefined;

  constructor(context: PlaygroundContext, asked: CallToTrace) {
    this.#context = context;
    this.#asked = asked;
    this.#start = context.clock.now();
  }

  get kind(): ProviderKind {
    return this.#asked.provider.kind;
  }

  answer() {
    return this.#parts.whole();
  }

  /** What the model says. Throws the signal's reason. */
  async *events(signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { provider, call } = this.#asked;
    for await (const event of this.#context.models.call(provider, call, signal)) {
      this.#parts.add(event);
      if (this.#parts.hasBegun) this.#first_token ??= this.#context.clock.now();
      yield event;
    }
  }

  /** Writes the run. @throws Problem where it is not stored. */
  async trace(
    error?: string,
  ): Promise<{ readonly latency_ms: number; readonly first_token_ms: number | null }> {
    const { workspace_id, provider, call, ...asked } = this.#asked;
    const answer = this.answer();
    const times = { start: this.#start, first_token: this.#first_token, end: this.#context.clock.now() };
    const bytes = tracedCall({
      ...asked,
      ...call,
      kind: provider.kind,
      answer,
      error: error ?? (answer.failure && failureText(answer.failure)),
      times,
    });
    await this.#context.trace({ workspace_id, bytes });
    return {
      latency_ms: times.end - times.start,
      first_token_ms: times.first_token === undefined ? null : times.first_token - times.start,
    };
  }
}
