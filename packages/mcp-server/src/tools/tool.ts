import { z } from 'zod';
import type { Access } from '@roadstead/contracts';
import type { Apis } from '../access/api-client.ts';
import type { Link } from '../addresses/address-rules.ts';
import { readInput } from './input-rules.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The APIs that a caller may use, and when to give up. */
export interface ReadContext extends Apis {
  readonly signal: AbortSignal;
}

/** The context of a tool's call. */
export interface ToolContext extends ReadContext {
  /** The workspace that calls. */
  readonly workspace_id: string;
  /** Reports progress to a client that asked for it. */
  readonly report: (progress: Progress) => void;
  /** Adds a link beside the answer, to something that the answer shows only in part; the first few are sent. */
  readonly link: (link: Link) => void;
  /**
   * Returns once the user has agreed to a sentence. That they have already agreed is the model’s claim, which counts
   * only where the client can’t ask them.
   * @throws where they haven’t agreed, or can’t be asked yet
   */
  readonly confirm: (sentence: string, said: { readonly has_agreed: boolean }) => Promise<void>;
}

/** The effect of a call: it reads stored data, changes something, or returns a text that is always the same. */
export type Effect = 'reads' | 'acts' | 'explains';

/** Hints about a tool that acts, for clients that ask the user on their basis. */
interface Hints {
  /** Whether existing data may be deleted or changed. */
  readonly destructive: boolean;
  /** Whether repeating the call changes nothing more. */
  readonly idempotent: boolean;
}

export type ToolResult = Readonly<Record<string, unknown>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as it is listed and called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** Destructive and not idempotent by default, where it acts. */
  readonly hints?: Hints;
  /** The access that a key needs; a caller whose key lacks it doesn’t see the tool. */
  readonly access: Access | undefined;
  /** JSON Schema 2020-12 of the arguments, in native types. */
  readonly input_schema: JsonSchema;
  /** JSON Schema 2020-12 of `structuredContent`, errors included: some clients validate those against it. */
  readonly output_schema: JsonSchema;
  /**
   * Parses the arguments and runs the tool.
   * @throws Problem and ApiError, for `toolErrorOf`
   */
  readonly call: (sent: unknown, context: ToolContext) => Promise<ToolResult>;
}

interface WrittenTool<I extends z.ZodType> extends Pick<Tool, 'name' | 'title' | 'description' | 'access'> {
  /** `reads` by default. */
  readonly effect?: Effect;
  readonly hints?: Hints;
  readonly input: I;
  readonly output: z.ZodRawShape;
  readonly run: (input: z.output<I>, context: ToolContext) => Promise<ToolResult>;
}

/** Every tool's schema repeats this, so it has no more than a reader needs. */
const ToolError = z.looseObject({}).describe('When isError: code, message, hint.');

/** Members that every page has; the others are described where they are set. */
export const pageOutput = {
  page_number: z.int(),
  total_pages: z.int(),
  truncated_fields: z.int(),
  _truncated: z.boolean(),
};

/** Declares a tool; its schemas are built once. */
export function tool<I extends z.ZodType>({ input, output, run, ...listed }: WrittenTool<I>): Tool {
  // An error has none of the tool's members and a success no error, so all may be absent; a union at the root is more
  // than many clients can read.
  const answers = z.looseObject({ ...output, error: ToolError }).partial();
  return {
    effect: 'reads',
    ...listed,
    input_schema: jsonSchemaOf(input, 'input'),
    output_schema: jsonSchemaOf(answers, 'output'),
    call: async (sent, context) => run(readInput(input, sent), context),
  };
}

/** Drops what means nothing to a reader: definitions are read, and paid for, with every conversation. */
function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // Any member of another server's record may be absent, and clients validate answers against this.
      if (io === 'output') delete jsonSchema.required;
      // A text of another length is refused by name.
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
      if (isEmpty(jsonSchema.properties) && jsonSchema.additionalProperties !== false)
        delete jsonSchema.properties;
      // Calls are strict all the same, and Google's SDK for Python refuses a tool with `additionalProperties`.
      if (isEmpty(jsonSchema.additionalProperties) || jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return described(json);
}

/** A schema without the members that may be anything: clients warn of those. */
function described(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  const members = Object.entries({ ...(properties as Readonly<Record<string, JsonSchema>> | undefined) })
    .filter(([, member]) => !isEmpty(member))
    .map(([name, member]) => [name, described(member)] as const);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: described(items as JsonSchema) }),
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
