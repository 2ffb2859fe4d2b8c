import { z } from 'zod';
import { attemptOrNone, WHOLE_ATTEMPT, wholeAttempt } from './attempt.ts';
import type { Wire } from './wire.ts';

/** The store of items that outlive threads, as graph hosts ask for it. */

const namespace = z.array(z.string());
const page = { limit: z.number(), offset: z.number() };
const refresh_ttl = z
  .boolean()
  .exactOptional()
  .describe('Whether reading prolongs its life; `langgraph.json` decides unless given');

export const StoreOperation = z
  .discriminatedUnion('op', [
    z.object({ op: z.literal('get'), namespace, key: z.string(), refresh_ttl }),
    z.object({
      op: z.literal('put'),
      namespace,
      key: z.string(),
      value: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('What is stored under the key; null deletes the item'),
      index: z
        .union([z.literal(false), z.array(z.string())])
        .exactOptional()
        .describe('Which parts are found by meaning, or none; `langgraph.json` decides unless given'),
      ttl: z
        .number()
        .nullable()
        .exactOptional()
        .describe('Its life in minutes, null without end; `langgraph.json` decides unless given'),
    }),
    z.object({
      op: z.literal('search'),
      namespace_prefix: namespace,
      filter: z.record(z.string(), z.unknown()).exactOptional(),
      ...page,
      query: z.string().exactOptional(),
      refresh_ttl,
    }),
    z.object({
      op: z.literal('list_namespaces'),
      match_conditions: z
        .array(z.object({ match_type: z.enum(['prefix', 'suffix']), path: namespace }))
        .exactOptional(),
      max_depth: z.number().exactOptional(),
      ...page,
    }),
  ])
  .meta({ id: 'StoreOperation' });
export type StoreOperation = Wire<typeof StoreOperation>;

export const StoreBatch = z
  .object({ operations: z.array(StoreOperation), ...attemptOrNone })
  .refine(wholeAttempt)
  .meta({ id: 'StoreBatch', ...WHOLE_ATTEMPT });
