import { argumentsOf } from './tool-argument-rules.ts';
import { inlineImage } from './image-rules.ts';
import type { ChatMessage, ChatPart, ModelCall, ModelCodec, ModelEvent } from './model-call.ts';
import { count, list, optionalText, record, said, text } from './loose-json-rules.ts';

/** `generateContent` and `streamGenerateContent` of the Gemini API, as Google documents them. */

export const googleCodec: ModelCodec = {
  default_base_url: 'https://generativelanguage.googleapis.com/v1beta',
  models_path: '/models?pageSize=1000',
  headers: (api_key) => (api_key === null ? {} : { 'x-goog-api-key': api_key }),
  request: (call) => {
    const name = encodeURIComponent(call.model.replace(/^models\//, ''));
    const operation = call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    return { path: `/models/${name}:${operation}`, body: bodyOf(call) };
  },
  modelsIn: (answer) => list(record(answer)['models']).map(record).filter(generates).flatMap(nameOf),
  eventsOf: (event, index) => partsOf(event, index),
  answerOf: (answer) => partsOf(answer, 0),
};

const generates = (model: Readonly<Record<string, unknown>>) => {
  const methods = model['supportedGenerationMethods'];
  return methods === undefined || list(methods).includes('generateContent');
};
const nameOf = (model: Readonly<Record<string, unknown>>) =>
  optionalText(text(model['name']).replace(/^models\//, '')) ?? [];

function partsOf(given: unknown, before: number): ModelEvent[] {
  const answer = record(given);
  const candidate = record(list(answer['candidates'])[0]);
  const blocked = optionalText(record(answer['promptFeedback'])['blockReason']);
  let index = before;
  const events = list(record(candidate['content'])['parts']).flatMap((one): ModelEvent[] => {
    const part = record(one);
    const call = record(part['functionCall']);
    if (typeof call['name'] === 'string') {
      index += 1;
      const id = optionalText(call['id']) ?? `call_${index}`;
      const json = JSON.stringify(call['args'] ?? {});
      return [{ type: 'tool_call', index: index - 1, id, name: call['name'], arguments: json }];
    }
    const words = text(part['text']);
    return words === '' ? [] : [{ type: part['thought'] === true ? 'reasoning' : 'text', text: words }];
  });
  const reason = optionalText(candidate['finishReason']) ?? blocked;
  return [
    ...events,
    ...usageOf(answer['usageMetadata']),
    ...(reason === undefined ? [] : [{ type: 'finish', reason } as const]),
  ];
}

/** Thoughts are counted beside the candidates. */
function usageOf(given: unknown): ModelEvent[] {
  const usage = record(given);
  if (typeof usage['promptTokenCount'] !== 'number') return [];
  const [cache_read, reasoning] = [
    count(usage['cachedContentTokenCount']),
    count(usage['thoughtsTokenCount']),
  ];
  const input_tokens = count(usage['promptTokenCount']) + count(usage['toolUsePromptTokenCount']);
  const output_tokens = count(usage['candidatesTokenCount']) + reasoning;
  return [
    {
      type: 'usage',
      usage: {
        input_tokens,
        output_tokens,
        total_tokens: count(usage['totalTokenCount']) || input_tokens + output_tokens,
        input_token_details: cache_read === 0 ? {} : { cache_read },
        output_token_details: reasoning === 0 ? {} : { reasoning },
      },
    },
  ];
}

function bodyOf({ messages, parameters }: ModelCall) {
  const { tools, tool_choice, response_format, stop, max_tokens, temperature, top_p, extra_body } =
    parameters;
  const system = messages.filter(({ role }) => role === 'system').flatMap(({ parts }) => parts.map(partOf));
  const generationConfig = {
    ...record(extra_body?.['generationConfig']),
    ...said({
      temperature,
      topP: top_p,
      maxOutputTokens: max_tokens,
      stopSequences: typeof stop === 'string' ? [stop] : stop,
      ...(response_format && {
        responseMimeType: 'application/json',
        responseJsonSchema: response_format.json_schema.schema,
      }),
    }),
  };
  const functionDeclarations = tools?.map(({ function: { name, description, parameters: schema } }) =>
    said({ name, description, parametersJsonSchema: schema }),
  );
  return {
    ...extra_body,
    ...said({
      systemInstruction: system.length === 0 ? undefined : { parts: system },
      tools: functionDeclarations && [{ functionDeclarations }],
      toolConfig: choiceOf(tool_choice),
      generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
    }),
    contents: contentsOf(messages.filter(({ role }) => role !== 'system')),
  };
}

function choiceOf(choice: ModelCall['parameters']['tool_choice']) {
  if (choice === null || choice === undefined) return undefined;
  if (typeof choice === 'object')
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.function.name] } };
  const mode = { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice];
  return { functionCallingConfig: { mode } };
}

interface GoogleTurn {
  readonly role: 'user' | 'model';
  readonly parts: object[];
}

/** The answer of a tool names the function, which only the call before it does. */
function contentsOf(messages: readonly ChatMessage[]): GoogleTurn[] {
  const names = new Map<string, string>();
  const turns: GoogleTurn[] = [];
  for (const message of messages) {
    for (const { id, name } of message.tool_calls ?? []) names.set(id, name);
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = turnParts(message, names);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  return turns;
}

function turnParts(message: ChatMessage, names: ReadonlyMap<string, string>): object[] {
  const { role, parts, tool_calls = [], tool_call_id = '' } = message;
  if (role === 'tool') {
    const result = parts.map((part) => (part.type === 'text' ? part.text : part.url)).join('');
    const name = message.name ?? names.get(tool_call_id) ?? tool_call_id;
    return [{ functionResponse: { name, response: { result } } }];
  }
  const calls = tool_calls.map(({ name, arguments: json }) => ({
    functionCall: { name, args: argumentsOf(json) },
  }));
  return [...parts.filter((part) => part.type !== 'text' || part.text !== '').map(partOf), ...calls];
}

function partOf(part: ChatPart): object {
  if (part.type === 'text') return { text: part.text };
  const inline = inlineImage(part.url);
  return inline === undefined
    ? { fileData: { fileUri: part.url } }
    : { inlineData: { mimeType: inline.media_type, data: inline.data } };
}
