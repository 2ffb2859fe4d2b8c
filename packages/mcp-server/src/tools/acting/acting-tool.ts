import type { ToolContext } from '../tool.ts';
import { flag } from '../input-rules.ts';

/** Inputs of every tool that acts. */
export const confirmInput = {
  confirm: flag('true: the user has agreed already. Counts only where the client can’t ask the user itself.'),
};

/** @throws where the user hasn’t agreed */
export async function agreed(
  sentence: string,
  { confirm }: { readonly confirm?: boolean | undefined },
  context: ToolContext,
): Promise<void> {
  await context.confirm(sentence, { has_agreed: confirm === true });
}

const QUOTED = 200;

/** A text or a value within a sentence. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= QUOTED
    ? `“${text}”`
    : `“${text.slice(0, QUOTED).toWellFormed()}” and ${text.length - QUOTED} more characters`;
}

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
