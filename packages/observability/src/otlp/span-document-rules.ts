import { documents, outputs } from './attribute-tables.ts';
import { nestedOf } from './nesting-rules.ts';
import { isObject } from './span-message-rules.ts';
import { type AttributeReader, jsonOf } from './span-reader.ts';

/** Documents that a retriever found, as LangChain writes them. */
export function documentsOf(attributes: AttributeReader): string | undefined {
  const entries = attributes.under(documents);
  if (entries.length === 0) return undefined;
  const { value: list, excluded } = nestedOf(entries);
  if (!Array.isArray(list)) return undefined;
  const shown = entries.filter(([path]) => !excluded.has(path));
  attributes.take(...shown.map(([path]) => documents + path));
  const payload = { documents: list.map(documentOf) };
  attributes.takeSame(
    [...outputs.message_lists, ...outputs.values],
    jsonOf(payload),
    jsonOf(payload.documents),
  );
  return JSON.stringify(payload);
}

function documentOf(item: unknown): object {
  if (!isObject(item) || (Object.hasOwn(item, 'content') && Object.hasOwn(item, 'page_content')))
    return { page_content: '', metadata: {}, type: 'Document', document: item };
  const { content, metadata, ...beside } = item;
  return { page_content: content ?? '', metadata: meaningOf(metadata), type: 'Document', ...beside };
}

function meaningOf(metadata: unknown): unknown {
  if (typeof metadata !== 'string') return metadata ?? {};
  try {
    return JSON.parse(metadata) as unknown;
  } catch {
    return { text: metadata };
  }
}
