/**
 * Which attributes say what: LangSmith's own, OpenTelemetry's conventions for generative AI (older and newer names),
 * OpenInference, Traceloop (OpenLLMetry), Logfire and the AI SDK. Of several names the first that is there counts.
 */

export const identity = {
  run_id: 'langsmith.span.id',
  trace_id: 'langsmith.trace.id',
  parent_run_id: 'langsmith.span.parent_id',
  dotted_order: 'langsmith.span.dotted_order',
  is_root: 'langsmith.is_root',
} as const;
/** Of no use once the span is placed. */
export const spent = ['langsmith.traceable', 'langsmith.traceable_parent_otel_span_id'] as const;

export const session = {
  id: ['langsmith.trace.session_id'],
  name: ['langsmith.trace.session_name'],
} as const;
export const reference_example_id = ['langsmith.reference_example_id'] as const;
export const names = ['langsmith.trace.name', 'traceloop.entity.name'] as const;
export const tool_names = ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name'] as const;
export const tags = ['langsmith.span.tags', 'tag.tags'] as const;

/** Attributes that tell the type of a run, and what their values, in small letters, mean; in this order. */
export const run_types: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    'gen_ai.operation.name',
    {
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
    },
  ],
  ['llm.request.type', { chat: 'llm', completion: 'llm', embedding: 'embedding', rerank: 'retriever' }],
  ['traceloop.llm.request.type', { chat: 'llm', completion: 'llm', embedding: 'embedding' }],
  [
    'openinference.span.kind',
    {
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
    },
  ],
  ['traceloop.span.kind', { workflow: 'chain', task: 'chain', agent: 'chain', tool: 'tool' }],
];

/** A message of these events belongs to the inputs or to the outputs; who speaks where it doesn't say. */
export const message_events: Readonly<Record<string, { side: 'inputs' | 'outputs'; role: string }>> = {
  'gen_ai.system.message': { side: 'inputs', role: 'system' },
  'gen_ai.user.message': { side: 'inputs', role: 'user' },
  'gen_ai.assistant.message': { side: 'outputs', role: 'assistant' },
  'gen_ai.tool.message': { side: 'outputs', role: 'tool' },
  'gen_ai.choice': { side: 'outputs', role: 'assistant' },
};

export interface Side {
  /** Event and attribute that hold all of it as one text. */
  readonly event: readonly [event: string, attribute: string];
  /** Lists of messages as one JSON text. */
  readonly message_lists: readonly string[];
  /** Lists of messages that are spread over attributes. */
  readonly message_prefixes: readonly string[];
  /** All of it as one value. */
  readonly values: readonly string[];
  /** Around what is no object. */
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
  ],
  name: 'input',
};

export const outputs: Side = {
  event: ['gen_ai.content.completion', 'gen_ai.completion'],
  message_lists: ['gen_ai.output.messages'],
  message_prefixes: ['gen_ai.completion.', 'llm.output_messages.'],
  values: [
    'output.value',
    'traceloop.entity.output',
    'gen_ai.completion',
    'all_messages_events',
    'gen_ai.tool.call.result',
    'ai.response.text',
    'ai.response.object',
    'ai.response.toolCalls',
    'ai.toolCall.output',
    'ai.toolCall.result',
  ],
  name: 'output',
};
export const documents = 'retrieval.documents.';
/** Logfire's list of messages, each with the name of its event. */
export const message_log = 'events';
/** How `input.value` and `output.value` are written, which shows in themselves. */
export const value_types = ['input.mime_type', 'output.mime_type'] as const;

export const usage_metadata = 'langsmith.usage_metadata';
export const usage: Readonly<Record<string, readonly string[]>> = {
  input_tokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'ai.usage.promptTokens',
  ],
  output_tokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'ai.usage.completionTokens',
  ],
  total_tokens: ['gen_ai.usage.total_tokens', 'llm.token_count.total', 'llm.usage.total_tokens'],
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
    ],
    cache_creation: [
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.details.cache_write_tokens',
      'llm.token_count.prompt_details.cache_write',
    ],
    audio: ['llm.token_count.prompt_details.audio'],
  },
  output_token_details: {
    reasoning: [
      'gen_ai.usage.details.reasoning_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'llm.token_count.completion_details.reasoning',
    ],
    audio: ['llm.token_count.completion_details.audio'],
  },
};
/** The same as one JSON text. */
export const usage_detail_texts: Readonly<Record<string, string>> = {
  input_token_details: 'gen_ai.usage.input_token_details',
  output_token_details: 'gen_ai.usage.output_token_details',
};

export const provider = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'] as const;
export const model = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.model_name',
  'embedding.model_name',
  'ai.model.id',
] as const;
export const invocation = ['llm.invocation_parameters'] as const;
export const request_prefix = 'gen_ai.request.';
export const tools = ['gen_ai.tool.definitions', 'tools', 'llm.request.functions'] as const;
export const tool_prefixes = ['llm.tools.', 'llm.request.functions.'] as const;

export const metadata_prefixes = [
  'ai.telemetry.metadata.',
  'traceloop.association.properties.',
  'langsmith.metadata.',
] as const;
export const metadata_texts = ['metadata', 'langsmith.metadata'] as const;
export const threads = ['langsmith.metadata.thread_id', 'service.metadata.thread_id'] as const;
/** Where the metadata names no conversation. */
export const conversations = ['gen_ai.conversation.id', 'session.id'] as const;
export const runtime = 'langsmith.span.runtime';
export const serialized_prefix = 'gen_ai.serialized.';
export const attachments = 'langsmith.attachments';
