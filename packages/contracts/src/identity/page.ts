import { z } from 'zod';
import { WellFormedText } from '../values/well-formed-text.ts';

/** Lists of identity, page by page. */

export const PageQuery = z.object({
  page_size: z.coerce.number().int().min(1).max(100).default(20),
  cursor: WellFormedText.optional(),
});

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: WellFormedText.nullable() });
