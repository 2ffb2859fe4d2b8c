import type { z } from 'zod';
import type { Client, Observability } from '@roadstead/contracts';

/** A tool of the MCP server: what it takes, what it says, what it does. */
export interface Tool<I extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodObject;
  readonly run: (input: z.output<I>, api: Client<Observability>) => Promise<Record<string, unknown>>;
}

export function tool<I extends z.ZodObject>(written: Tool<I>): Tool<I> {
  return written;
}
