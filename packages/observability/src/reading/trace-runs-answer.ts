import { outlinePages, traceRunPages } from '../queries/trace-runs-work.ts';
import type { SearchOf } from '../queries/run-query-store.ts';
import { allItems, jsonAnswer, type Members } from './json-answer.ts';
import {
  asksOutlines,
  type LinkOptions,
  outlineMembers,
  runV2Members,
  type SelectionV2,
} from './run-answer-v2-rules.ts';
import { readRecords, type RunReader } from './run-reader-work.ts';

/** All runs of a trace that pass; of those that only outlines are asked of, nothing else is read. */
export async function traceRunsAnswer(
  reader: RunReader,
  of: SearchOf,
  { wanted, links }: { readonly wanted: SelectionV2; readonly links: LinkOptions },
): Promise<Response> {
  const pages = asksOutlines(wanted) ? outlines(reader, of, wanted) : records(reader, of, { wanted, links });
  return jsonAnswer(allItems(pages));
}

type Pages = AsyncGenerator<Iterable<Members>>;

async function* outlines(reader: RunReader, of: SearchOf, wanted: SelectionV2): Pages {
  for await (const rows of outlinePages(reader, of))
    yield rows.values().map((row) => outlineMembers(row, wanted));
}

async function* records(
  reader: RunReader,
  of: SearchOf,
  { wanted, links }: { readonly wanted: SelectionV2; readonly links: LinkOptions },
): Pages {
  for await (const rows of traceRunPages(reader, of))
    yield (await readRecords(reader, rows, wanted)).map((record) => runV2Members(record, wanted, links));
}
