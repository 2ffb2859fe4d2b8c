import { z } from 'zod';

/**
 * Text of a build, a graph or a program, in a listener's report. PostgreSQL stores neither NUL nor lone surrogates, and
 * a report refused for them would be refused for ever: U+FFFD replaces them.
 */
export const RepairedText = z.string().overwrite(repairText);

export function repairText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
