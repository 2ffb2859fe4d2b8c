import type { PlaygroundParameters, ProviderKind } from '@roadstead/contracts/observability';

/** What a model is asked and what it answers, whichever API its provider speaks. */

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  /** An address, or `data:` with base64. */
  | { readonly type: 'image'; readonly url: string };

export interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly ChatPart[];
  readonly tool_calls?: readonly ChatToolCall[] | undefined;
  /** The call that a message of a tool answers. */
  readonly tool_call_id?: string | undefined;
  readonly name?: string | undefined;
}

export interface ModelCall {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly parameters: PlaygroundParameters;
  readonly stream: boolean;
}

/** A provider with its key in clear: never logged, stored or answered. */
export interface OpenProvider {
  readonly kind: ProviderKind;
  readonly base_url: string;
  readonly api_key: string | null;
}

/** Tokens as LangChain counts them: cached ones are among those that came in, and thoughts among those that went out. */
export interface ModelUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_token_details: Readonly<Record<string, number>>;
  readonly output_token_details: Readonly<Record<string, number>>;
}

/** Why no more comes; `status` is the provider's, null where it gave none. */
export interface ModelFailure {
  readonly status: number | null;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly may_pass: boolean;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A piece of a call: what is absent was said before, or is not known yet. */
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      readonly arguments: string;
    }
  /** What is known by now; a later count replaces an earlier one. */
  | { readonly type: 'usage'; readonly usage: Partial<ModelUsage> }
  | { readonly type: 'finish'; readonly reason: string }
  | ({ readonly type: 'error' } & ModelFailure);

/** The wire of one kind of provider; pure. */
export interface ModelCodec {
  readonly default_base_url: string;
  /** The path of a call below the base address, and its body. */
  request(
    call: ModelCall,
    provider: Pick<OpenProvider, 'base_url'>,
  ): { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  headers(api_key: string | null): Readonly<Record<string, string>>;
  readonly models_path: string;
  modelsIn(answer: unknown): readonly string[];
  /** What an event of a stream says. @param index the number of tool calls before it */
  eventsOf(event: unknown, index: number): readonly ModelEvent[];
  /** What a whole answer says; nothing where it is none. */
  answerOf(answer: unknown): readonly ModelEvent[];
}
