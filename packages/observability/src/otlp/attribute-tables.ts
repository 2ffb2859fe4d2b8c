import { choice_event, details_event } from '../merging/told-message-rules.ts';

export { choice_event, details_event };

/**
 * The meaning of attributes: LangSmith's own, OpenTelemetry's conventions for generative AI (older and newer names),
 * OpenInference, Traceloop (OpenLLMetry), Logfire, Pydantic AI and the AI SDK. The first name that is present is
 * shown; another one with a different value stays with the run.
 */

export const identity = {
  run_id: 'langsmith.span.id',
  trace_id: 'langsmith.trace.id',
  parent_run_id: 'langsmith.span.parent_id',
  dotted_order: 'langsmith.span.dotted_order',
  is_root: 'langsmith.is_root',
} as const;

export const session = {
  id: 'langsmith.trace.session_id',
  name: 'langsmith.trace.session_name',
} as const;
export const reference_example_id = 'langsmith.reference_example_id';
export const names = ['langsmith.trace.name', 'traceloop.entity.name'] as const;
export const tool_names = ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name'] as const;
export const tags = ['langsmith.span.tags', 'tag.tags'] as const;

export const own_run_type = 'langsmith.span.kind';
/** A table for names that clients choose, which may be those that every object has. */
const byName = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table));

/** Attributes for the type of a run, and the meaning of their values in small letters; in this order. */
export const run_types: readonly (readonly [string, ReadonlyMap<string, string>])[] = [
  [
    'gen_ai.operation.name',
    byName({
      chat: 'llm',
      completion: 'llm',
      text_completion: 'llm',
      generate_content: 'llm',
      embedding: 'embedding',
      embeddings: 'embedding',
      retrieval: 'retriever',
      execute_tool: 'tool',
      invoke_agent: 'chain',
      create_agent: 'chain',
      invoke_workflow: 'chain',
    }),
  ],
  [
    'ai.operationId',
    byName({
      'ai.generatetext.dogenerate': 'llm',
      'ai.streamtext.dostream': 'llm',
      'ai.generateobject.dogenerate': 'llm',
      'ai.streamobject.dostream': 'llm',
      'ai.toolcall': 'tool',
      'ai.embed.doembed': 'embedding',
      'ai.embedmany.doembed': 'embedding',
      'ai.rerank.dorerank': 'retriever',
    }),
  ],
  [
    'llm.request.type',
    byName({ chat: 'llm', completion: 'llm', embedding: 'embedding', rerank: 'retriever' }),
  ],
  ['traceloop.llm.request.type', byName({ chat: 'llm', completion: 'llm', embedding: 'embedding' })],
  [
    'openinference.span.kind',
    byName({
      llm: 'llm',
      embedding: 'embedding',
      retriever: 'retriever',
      reranker: 'retriever',
      tool: 'tool',
      prompt: 'prompt',
      chain: 'chain',
      agent: 'chain',
      guardrail: 'chain',
      evaluator: 'chain',
    }),
  ],
  ['traceloop.span.kind', byName({ workflow: 'chain', task: 'chain', agent: 'chain', tool: 'tool' })],
];

/** The role of an event's message where the event doesn't name it. */
export const message_events = byName({
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
});
/** Attributes with a whole message, or with its content. */
export const message_contents = ['gen_ai.event.content', 'message'] as const;
/** The content of a message, where no other attribute has it. */
export const message_texts = ['gen_ai.prompt', 'gen_ai.completion'] as const;

export interface Side {
  /** The event and attribute that hold the whole side as one text. */
  readonly event: readonly [event: string, attribute: string];
  /** Lists of messages as one JSON text. */
  readonly message_lists: readonly string[];
  /** Lists of messages that are spread over attributes. */
  readonly message_prefixes: readonly string[];
  /** The whole side as one value. */
  readonly values: readonly string[];
  /** The same, where no `answers` are present either. */
  readonly other_values: readonly string[];
  /** The name under which a value that is no object is wrapped. */
  readonly name: string;
}

export const inputs: Side = {
  event: ['gen_ai.content.prompt', 'gen_ai.prompt'],
  message_lists: ['gen_ai.input.messages'],
  message_prefixes: ['gen_ai.prompt.', 'llm.input_messages.'],
  values: [
    'input.value',
    'traceloop.entity.input',
    'gen_ai.prompt',
    'prompt',
    'gen_ai.tool.call.arguments',
    'tool_arguments',
    'ai.prompt',
    'ai.prompt.messages',
    'ai.toolCall.input',
    'ai.toolCall.args',
    'ai.values',
    'ai.value',
  ],
  other_values: [],
  name: 'input',
};

export const outputs: Side = {
  event: ['gen_ai.content.completion', 'gen_ai.completion'],
  message_lists: ['gen_ai.output.messages'],
  message_prefixes: ['gen_ai.completion.', 'llm.output_messages.'],
  values: ['output.value', 'traceloop.entity.output', 'gen_ai.completion', 'gen_ai.tool.call.result'],
  other_values: [
    'ai.response.object',
    'ai.toolCall.output',
    'ai.toolCall.result',
    'ai.embeddings',
    'ai.embedding',
    'final_result',
    'tool_response',
  ],
  name: 'output',
};
/** Events that may also arrive as log records. */
export const logged_events: ReadonlySet<string> = new Set([
  ...message_events.keys(),
  inputs.event[0],
  outputs.event[0],
  details_event,
]);
/** Events that are shown as messages, as attributes of their span and as its error; other events stay events. */
export const shown_events: ReadonlySet<string> = new Set([...logged_events, 'exception']);
/** The text and the tool calls of a model: one message. */
export const answers = { text: 'ai.response.text', calls: 'ai.response.toolCalls' } as const;
/** Attributes with texts, or lists of texts, each of which is a JSON value. */
export const json_values: ReadonlySet<string> = new Set([
  'ai.value',
  'ai.values',
  'ai.embedding',
  'ai.embeddings',
  'ai.prompt.tools',
]);
/** The instructions of a model before the messages: a text, parts or messages. */
export const instructions = 'gen_ai.system_instructions';
export const documents = 'retrieval.documents.';
/** Lists of messages with the names of their events: those of a call, and everything that an agent did. */
export const message_logs = { call: 'events', agent: 'all_messages_events' } as const;
/** The messages of everything that an agent did. */
export const conversation = 'pydantic_ai.all_messages';

export const usage_metadata = 'langsmith.usage_metadata';
export const usage: Readonly<Record<string, readonly string[]>> = {
  input_tokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
  ],
  output_tokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  total_tokens: [
    'gen_ai.usage.total_tokens',
    'llm.token_count.total',
    'llm.usage.total_tokens',
    'ai.usage.totalTokens',
  ],
  input_cost: ['llm.cost.prompt'],
  output_cost: ['llm.cost.completion'],
  total_cost: ['llm.cost.total', 'gen_ai.usage.cost'],
};
export const usage_details: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  input_token_details: {
    cache_read: [
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'llm.token_count.prompt_details.cache_read',
      'ai.usage.inputTokenDetails.cacheReadTokens',
      'ai.usage.cachedInputTokens',
    ],
    cache_creation: [
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_write_input_tokens',
      'gen_ai.usage.details.cache_write_tokens',
      'llm.token_count.prompt_details.cache_write',
      'ai.usage.inputTokenDetails.cacheWriteTokens',
    ],
    audio: ['llm.token_count.prompt_details.audio'],
  },
  output_token_details: {
    reasoning: [
      'gen_ai.usage.details.reasoning_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.reasoning_tokens',
      'llm.usage.reasoning_tokens',
      'llm.token_count.completion_details.reasoning',
      'ai.usage.outputTokenDetails.reasoningTokens',
      'ai.usage.reasoningTokens',
    ],
    audio: ['llm.token_count.completion_details.audio'],
  },
};
/** The same as one JSON text. */
export const usage_detail_texts: Readonly<Record<string, string>> = {
  input_token_details: 'gen_ai.usage.input_token_details',
  output_token_details: 'gen_ai.usage.output_token_details',
};

/** The provider as the AI SDK names it: `openai.chat`, the provider and the called API. */
export const provider_and_kind = 'ai.model.provider';
export const provider = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  provider_and_kind,
] as const;
export const model = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.model_name',
  'embedding.model_name',
  'ai.model.id',
  'ai.response.model',
] as const;
export const invocation = 'llm.invocation_parameters';
export const request_prefix = 'gen_ai.request.';
export const tools = [
  'gen_ai.tool.definitions',
  'tools',
  'llm.request.functions',
  'ai.prompt.tools',
] as const;
export const tool_prefixes = ['llm.tools.', 'llm.request.functions.'] as const;

/** Prefixes of metadata; the first value of each name counts. */
export const metadata_prefixes = [
  'langsmith.metadata.',
  'traceloop.association.properties.',
  'ai.telemetry.metadata.',
] as const;
export const metadata_texts = ['langsmith.metadata', 'metadata'] as const;
export const thread = 'service.metadata.thread_id';
/** Attributes that name the conversation where the metadata does not. */
export const conversations = ['gen_ai.conversation.id', 'session.id'] as const;
export const runtime = 'langsmith.span.runtime';
export const serialized_prefix = 'gen_ai.serialized.';
export const attachments = 'langsmith.attachments';
