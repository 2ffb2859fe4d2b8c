import { z } from 'zod';
import { JsonValue, WellFormedText } from '../values/well-formed-text.ts';
import { SettingsObject, SettingsValue } from './run-settings.ts';
import { StreamMode } from './stream-modes.ts';

/** The request for a run. Absent and null mean the same. */

const MAX_AFTER_S = 2_592_000;
const MAX_WEBHOOK_LENGTH = 65_536;

const Name = WellFormedText.min(1).max(256);
const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).max(100)]);
const nodes = z.union([z.literal('*'), z.array(Name).max(1000)]).nullish();

export const RunConfig = z
  .object({
    tags: z.array(WellFormedText).max(1000).nullish(),
    recursion_limit: z.int().min(1).max(1_000_000).nullish(),
    configurable: SettingsObject.nullish(),
    metadata: SettingsObject.nullish(),
  })
  .meta({ id: 'AgentRunConfig' });
export type RunConfig = z.output<typeof RunConfig>;

export const RunCheckpoint = z.object({
  thread_id: WellFormedText.nullish(),
  checkpoint_id: WellFormedText.max(256).nullish(),
  checkpoint_ns: WellFormedText.max(65_536).nullish(),
  checkpoint_map: z.record(WellFormedText, WellFormedText).nullish(),
});

const Command = z.object({ resume: JsonValue, update: JsonValue, goto: JsonValue }).partial();

const shared = {
  /** The id of an assistant, or of the graph whose own assistant it is. */
  assistant_id: Name,
  input: JsonValue.optional(),
  command: Command.nullish(),
  metadata: SettingsObject.nullish(),
  config: RunConfig.nullish(),
  context: SettingsValue.optional(),
  webhook: WellFormedText.min(1).max(MAX_WEBHOOK_LENGTH).nullish(),
  interrupt_before: nodes,
  interrupt_after: nodes,
  stream_mode: oneOrMore(StreamMode).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  stream_resumable: z.boolean().nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  feedback_keys: oneOrMore(Name).nullish(),
  after_seconds: z.number().min(0).max(MAX_AFTER_S).nullish(),
  durability: z.enum(['sync', 'async', 'exit']).nullish(),
  /** The older word for durability `async` (true) or `exit`. */
  checkpoint_during: z.boolean().nullish(),
  langsmith_tracer: z
    .object({ project_name: WellFormedText.max(1024).nullish(), example_id: z.guid().nullish() })
    .nullish(),
};

/** A run on a thread. */
export const ThreadRunCreate = z
  .object({
    ...shared,
    checkpoint: RunCheckpoint.nullish(),
    checkpoint_id: WellFormedText.max(256).nullish(),
    multitask_strategy: z.enum(['enqueue', 'reject', 'interrupt', 'rollback']).nullish(),
    if_not_exists: z.enum(['reject', 'create']).nullish(),
  })
  .meta({ id: 'ThreadRunCreate' });
export type ThreadRunCreate = z.output<typeof ThreadRunCreate>;

/** A run without a thread: one is made for it, and goes with it unless it is kept. */
export const RunCreate = z
  .object({ ...shared, on_completion: z.enum(['delete', 'keep']).nullish() })
  .meta({ id: 'RunCreate' });
export type RunCreate = z.output<typeof RunCreate>;
