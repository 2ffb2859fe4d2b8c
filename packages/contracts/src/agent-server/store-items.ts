import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryFlag, queryTexts, Timestamp } from '../values/query-values.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';

/** The store of the LangGraph API: items that outlive threads, by namespace and key. */

const invoke = { access: 'agents:invoke' } as const;

const MAX_KEY_BYTES = 1024;
const MAX_VALUE_BYTES = 1_048_576;
const MAX_LABELS = 64;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

const Key = WellFormedText.min(1).refine(
  (key) => bytesOf(key) <= MAX_KEY_BYTES,
  `must not be longer than ${MAX_KEY_BYTES} bytes`,
);
const Label = WellFormedText.min(1)
  .max(MAX_KEY_BYTES)
  .refine((label) => !label.includes('.'), 'must not contain "."');
const labels = z.array(Label).max(MAX_LABELS);
/** The namespace of an item: at least one label. */
const Namespace = labels
  .min(1)
  .refine(
    (namespace) => bytesOf(JSON.stringify(namespace)) <= MAX_KEY_BYTES,
    `must not be longer than ${MAX_KEY_BYTES} bytes as JSON`,
  );
/** The longest path of a text in an item. */
const MAX_PATH_BYTES = 512;
const TextPath = WellFormedText.min(1).refine(
  (path) => bytesOf(path) <= MAX_PATH_BYTES,
  `must not be longer than ${MAX_PATH_BYTES} bytes`,
);
const pattern = z.array(WellFormedText.min(1).max(MAX_KEY_BYTES)).max(MAX_LABELS);

const Item = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'StoreItem' });

/** With its similarity to the query; null where none was compared. */
const FoundItem = Item.extend({ score: z.number().nullable() });

/** The longest lifetime: a hundred years. */
const MAX_MINUTES = 52_560_000;
const page = (most: number) => ({
  limit: z.int().min(1).max(most).nullish(),
  offset: z.int().min(0).max(2_147_483_647).nullish(),
});

export const storeEndpoints = {
  putItem: endpoint({
    ...invoke,
    max_body_bytes: 2_097_152,
    max_body_values: 100_000,
    method: 'PUT',
    path: '/store/items',
    summary: 'Store an item, or replace it',
    body: z
      .object({
        namespace: Namespace,
        key: Key,
        value: JsonObject.refine(
          (value) => bytesOf(JSON.stringify(value)) <= MAX_VALUE_BYTES,
          `must not be longer than ${MAX_VALUE_BYTES} bytes`,
        ),
        /** The parts that are found by meaning: by default those of `langgraph.json`; `false` for none. */
        index: z.union([z.literal(false), z.array(TextPath).max(100)]).nullish(),
        /** The lifetime in minutes. */
        ttl: z.number().min(0).max(MAX_MINUTES).nullish(),
      })
      .meta({ id: 'StorePut' }),
    success: { status: 204 },
    example: { body: { namespace: ['customers', 'c-17'], key: 'tone', value: { text: 'formal' } } },
  }),
  readItem: endpoint({
    ...invoke,
    method: 'GET',
    path: '/store/items',
    summary:
      'Read an item; null where there is none. Labels of the namespace are joined by dots, or repeated',
    query: z.object({
      namespace: queryTexts(WellFormedText.max(65_536))
        .transform((texts) => texts.flatMap((text) => text.split('.')))
        .pipe(Namespace),
      key: Key,
      refresh_ttl: queryFlag.optional(),
    }),
    success: { status: 200, body: Item.nullable() },
    example: { query: { namespace: 'customers.c-17', key: 'tone' } },
  }),
  deleteItem: endpoint({
    ...invoke,
    method: 'DELETE',
    path: '/store/items',
    summary: 'Delete an item, if there is one',
    body: z.object({ namespace: Namespace, key: Key }),
    errors: [404],
    success: { status: 204 },
    example: { body: { namespace: ['customers', 'c-17'], key: 'tone' } },
  }),
  searchItems: endpoint({
    ...invoke,
    method: 'POST',
    path: '/store/items/search',
    summary: 'Find items below a namespace, last changed first, or by meaning with `query`',
    body: z.object({
      namespace_prefix: labels.nullish(),
      filter: JsonObject.nullish(),
      ...page(1000),
      query: WellFormedText.max(100_000).nullish(),
      refresh_ttl: z.boolean().nullish(),
    }),
    success: { status: 200, body: z.object({ items: z.array(FoundItem) }) },
    example: { body: { namespace_prefix: ['customers'], query: 'How do they want to be addressed?' } },
  }),
  listNamespaces: endpoint({
    ...invoke,
    method: 'POST',
    path: '/store/namespaces',
    summary: 'Namespaces that hold items, by how they begin and end; `*` stands for any label',
    body: z.object({
      prefix: pattern.nullish(),
      suffix: pattern.nullish(),
      max_depth: z.int().min(1).max(MAX_LABELS).nullish(),
      ...page(1000),
    }),
    success: { status: 200, body: z.object({ namespaces: z.array(z.array(z.string())) }) },
    example: { body: { prefix: ['customers'], max_depth: 2 } },
  }),
};
