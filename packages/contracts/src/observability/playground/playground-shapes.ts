import { z } from 'zod';
import { Uuid } from '../../values/query-values.ts';
import { JsonObject, JsonValue, WellFormedText } from '../../values/well-formed-text.ts';

/** What is asked of a model: messages as OpenAI or LangChain write them, or a prompt; and parameters as OpenAI names them. */

const Role = z.enum(['system', 'developer', 'user', 'human', 'assistant', 'ai', 'tool']);
const Text = WellFormedText.max(2_000_000);
/** An address, or `data:` with base64. */
const ImageAddress = WellFormedText.min(1).max(15_000_000);

const MessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: Text }),
  z.object({
    type: z.literal('image_url'),
    image_url: z.union([ImageAddress, z.object({ url: ImageAddress })]),
  }),
  z.object({
    type: z.literal('image'),
    url: ImageAddress.optional(),
    /** Base64. */
    base64: ImageAddress.optional(),
    data: ImageAddress.optional(),
    mime_type: WellFormedText.max(100).optional(),
  }),
]);

const ToolCall = z.object({
  id: WellFormedText.max(500).nullish(),
  name: WellFormedText.max(500).optional(),
  args: JsonObject.optional(),
  function: z.object({ name: WellFormedText.max(500), arguments: Text }).optional(),
});

export const PlaygroundMessage = z
  .object({
    role: Role.optional(),
    /** LangChain’s word for the role. */
    type: Role.optional(),
    content: z.union([Text, z.array(MessagePart).max(200)]).nullish(),
    tool_calls: z.array(ToolCall).max(200).nullish(),
    tool_call_id: WellFormedText.max(500).nullish(),
    name: WellFormedText.max(500).nullish(),
  })
  .refine(({ role, type }) => role !== undefined || type !== undefined, {
    path: ['role'],
    message: 'is required',
  })
  .meta({ id: 'PlaygroundMessage' });
export type PlaygroundMessage = z.output<typeof PlaygroundMessage>;

const Tool = z.object({
  type: z.literal('function').default('function'),
  function: z.object({
    name: WellFormedText.min(1).max(500),
    description: WellFormedText.max(20_000).nullish(),
    /** JSON schema. */
    parameters: JsonObject.nullish(),
  }),
});

export const PlaygroundParameters = z
  .object({
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: z.number().int().min(1).max(10_000_000).nullish(),
    stop: z.union([WellFormedText.max(1000), z.array(WellFormedText.max(1000)).max(16)]).nullish(),
    tools: z.array(Tool).max(128).nullish(),
    /** Whether a tool must be called; a name is the tool that must be. */
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.object({ function: z.object({ name: WellFormedText.min(1).max(500) }) }),
      ])
      .nullish(),
    response_format: z
      .object({
        type: z.literal('json_schema').default('json_schema'),
        json_schema: z.object({
          name: WellFormedText.min(1).max(64).default('answer'),
          schema: JsonObject,
          strict: z.boolean().nullish(),
        }),
      })
      .nullish(),
    /** Members of the provider’s own body, such as `reasoning_effort`; they replace none that is made here. */
    extra_body: JsonObject.nullish(),
  })
  .meta({ id: 'PlaygroundParameters' });
export type PlaygroundParameters = z.output<typeof PlaygroundParameters>;

const Prompt = z.object({
  /** `name`, or `owner/name`. */
  name: WellFormedText.min(1).max(400),
  /** As for a version of a prompt: a hash, a name, or `latest`. */
  commit: WellFormedText.min(1).max(200).default('latest'),
});

/** What both a run and an experiment ask; one of `messages` and `prompt` must be there. */
export const playgroundFields = {
  model_provider_id: Uuid,
  model: WellFormedText.min(1).max(500),
  messages: z.array(PlaygroundMessage).min(1).max(1000).nullish(),
  prompt: Prompt.nullish(),
  /** How texts of `messages` name variables; a prompt says so itself. */
  template_format: z.enum(['mustache', 'f-string', 'none']).default('mustache'),
  parameters: PlaygroundParameters.nullish(),
  metadata: JsonObject.nullish(),
} as const;

export const Variables = z.record(WellFormedText.max(500), JsonValue);

interface PlaygroundSource {
  readonly messages?: unknown;
  readonly prompt?: unknown;
}
export const asksOneThing = ({ messages, prompt }: PlaygroundSource): boolean =>
  (messages === null || messages === undefined) !== (prompt === null || prompt === undefined);
export const ONE_THING = { path: ['messages'], message: 'or "prompt" is required, and not both' };
