import { z } from 'zod';
import type { Access } from '@roadstead/contracts';
import type { Apis } from '../access/api-client.ts';
import { readInput } from './input-rules.ts';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a tool works with: the APIs as its caller may use them, and when to give up. */
export interface ToolContext extends Apis {
  readonly signal: AbortSignal;
  /** Tells a client that asked for it how far the call is. */
  readonly report: (progress: Progress) => void;
}

/** What a call does: reads what is stored, changes something, or gives a text that is always the same. */
export type Effect = 'reads' | 'acts' | 'explains';

export type ToolResult = Readonly<Record<string, unknown>>;
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as it is listed and called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** What a key needs for it; a caller whose key lacks it doesn’t see the tool. */
  readonly access: Access | undefined;
  /** JSON Schema 2020-12 of the arguments, in native types. */
  readonly input_schema: JsonSchema;
  /** JSON Schema 2020-12 of `structuredContent`, of errors too: some clients hold those against it. */
  readonly output_schema: JsonSchema;
  /**
   * Reads the arguments and does what the tool does.
   * @throws Problem and ApiError, for `toolErrorOf`
   */
  readonly call: (sent: unknown, context: ToolContext) => Promise<ToolResult>;
}

interface WrittenTool<I extends z.ZodType> extends Pick<Tool, 'name' | 'title' | 'description' | 'access'> {
  /** It reads unless said. */
  readonly effect?: Effect;
  readonly input: I;
  readonly output: z.ZodRawShape;
  readonly run: (input: z.output<I>, context: ToolContext) => Promise<ToolResult>;
}

const ToolError = z
  .object({
    code: z.string().describe('A machine’s word for it, such as not_found or invalid_input.'),
    message: z.string().describe('What went wrong.'),
    hint: z.string().describe('What to do about it.'),
  })
  .describe('Only when isError is set.');

/** Members that every page has. */
export const pageOutput = {
  page_number: z.int(),
  total_pages: z.int().describe('Ask for page_number 2, 3, … up to this.'),
  max_chars_per_page: z.int(),
  preview_chars: z.int(),
  truncated_fields: z.int().describe('How many texts of this page are cut.'),
  note: z.string().optional(),
  _truncated: z.boolean().optional().describe('Not everything of this page is shown.'),
  _truncated_message: z.string().optional(),
  _truncated_preview: z.string().optional(),
};

/** Writes a tool down; its schemas are made once. */
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

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => {
      // The bounds of what a number can hold say nothing to a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return json;
}
