import { unexpectedAnswer } from '../tool-error.ts';
import type { ToolContext } from '../tool.ts';

export type Example = Awaited<ReturnType<ToolContext['api']['listExamples']>>[number];

const PAGE = 100;

export interface ExamplesWanted {
  readonly dataset_id: string;
  readonly splits?: readonly string[] | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Lists examples in a stable order. */
export async function listExamples(
  { dataset_id, splits, offset, limit }: ExamplesWanted,
  { api, signal }: ToolContext,
): Promise<readonly Example[]> {
  const found: Example[] = [];
  while (found.length < limit) {
    const most = Math.min(PAGE, limit - found.length);
    const query = {
      dataset: dataset_id,
      order: 'id' as const,
      offset: offset + found.length,
      limit: most,
      ...(splits === undefined ? {} : { splits: [...splits] }),
    };
    const page: unknown = await api.listExamples({ query, signal });
    if (!Array.isArray(page)) throw unexpectedAnswer();
    found.push(...(page as Example[]));
    if (page.length < most) break;
  }
  return found;
}
