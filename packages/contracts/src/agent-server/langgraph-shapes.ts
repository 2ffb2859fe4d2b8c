import { z } from 'zod';
import {
  ILL_FORMED,
  isWellFormed,
  JsonObject,
  JsonValue,
  WellFormedText,
} from '../values/well-formed-text.ts';

/** Shapes that requests of the LangGraph API share. Absent and null mean the same. */

/** An assistant's id, or the id of the graph whose own assistant it is. */
export const AssistantName = WellFormedText.min(1).max(256);
/** A thread's id in lower case, like in the checkpoint tables. */
export const ThreadId = z.guid().toLowerCase().meta({ id: 'ThreadId' });

/** The config that a graph gets beside its input. */
export const GraphConfig = z
  .object({
    tags: z.array(WellFormedText).max(1000).nullish(),
    recursion_limit: z.int().min(1).max(1_000_000).nullish(),
    configurable: JsonObject.nullish(),
  })
  .catchall(JsonValue)
  .refine((config) => Object.keys(config).every(isWellFormed), ILL_FORMED);

export const RequestedCheckpoint = z.object({
  thread_id: WellFormedText.nullish(),
  checkpoint_id: WellFormedText.max(256).nullish(),
  checkpoint_ns: WellFormedText.max(65_536).nullish(),
  checkpoint_map: z.record(WellFormedText, WellFormedText).nullish(),
});

const MAX_PAGE = 1000;

/** Part of a list: `limit` at most, after leaving out `offset`. */
export const page = {
  limit: z.int().min(1).max(MAX_PAGE).nullish(),
  offset: z.int().min(0).max(2_147_483_647).nullish(),
};

export const SortOrder = z.enum(['asc', 'desc']);
