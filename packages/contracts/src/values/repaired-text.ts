import { z } from 'zod';

/**
 * Text that a build, a graph or a program wrote, as it comes in a report of a listener. PostgreSQL stores neither NUL nor
 * lone surrogates, and a report that is refused for them would be refused for ever: U+FFFD takes their place.
 */
export const RepairedText = z.string().overwrite(repairText);

export function repairText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
