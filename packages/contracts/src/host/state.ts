import { z } from 'zod';
import { Anything } from './anything.ts';
import { AuthUser } from './auth.ts';
import type { Wire } from './wire.ts';

/** The state of threads and the shape of graphs, as engine and graph host speak of them. */

const JsonObject = z.record(z.string(), z.unknown());

export const RunCommand = z
  .object({
    resume: z.unknown().exactOptional(),
    update: z.unknown().exactOptional().describe('Values as if a node had returned them'),
    goto: z.unknown().exactOptional(),
  })
  .describe('What a client asks of a graph instead of giving it input')
  .meta({ id: 'RunCommand' });
export type RunCommand = Wire<typeof RunCommand>;

export const CheckpointRef = z
  .object({
    checkpoint_id: z.string().nullable().exactOptional(),
    checkpoint_ns: z.string().exactOptional(),
    checkpoint_map: z.record(z.string(), z.string()).nullable().exactOptional(),
  })
  .describe('A checkpoint of a thread')
  .meta({ id: 'CheckpointRef' });
export type CheckpointRef = Wire<typeof CheckpointRef>;

export const StateRef = z
  .object({
    thread_id: z.string(),
    graph_id: z.string(),
    configurable: JsonObject.exactOptional(),
    user: AuthUser.exactOptional(),
  })
  .describe('A thread, and the graph that its state belongs to')
  .meta({ id: 'StateRef' });
export type StateRef = Wire<typeof StateRef>;

const StateUpdate = z
  .object({
    values: z.unknown().exactOptional(),
    command: RunCommand.exactOptional(),
    as_node: z.string().exactOptional(),
  })
  .meta({ id: 'StateUpdate' });
export type StateUpdate = Wire<typeof StateUpdate>;

export const StateQuestion = StateRef.extend({
  checkpoint: CheckpointRef.exactOptional().describe('The newest unless given'),
  subgraphs: z.boolean().exactOptional().describe('Whether the states of subgraphs come with it'),
}).meta({ id: 'StateQuestion' });

export const StateChange = StateRef.extend({
  checkpoint: CheckpointRef.exactOptional(),
  supersteps: z
    .array(z.object({ updates: z.array(StateUpdate) }))
    .describe('In order; each is one update, or several at once'),
}).meta({ id: 'StateChange' });

export const HistoryQuestion = StateRef.extend({
  checkpoint: CheckpointRef.exactOptional(),
  limit: z.int(),
  before: CheckpointRef.exactOptional(),
  filter: JsonObject.exactOptional(),
}).meta({ id: 'HistoryQuestion' });

export const RunInterrupt = z
  .object({
    id: z.string(),
    value: Anything,
    response_schema: z
      .unknown()
      .exactOptional()
      .describe('JSON Schema of the answer that it takes, where the graph gives one'),
    task_id: z.string().exactOptional().describe('The task of the graph that asked'),
    wants: z
      .literal('credentials')
      .exactOptional()
      .describe('The caller is to sign in somewhere; absent: an answer is asked for'),
  })
  .describe('A question that a graph asks')
  .meta({ id: 'RunInterrupt' });
export type RunInterrupt = Wire<typeof RunInterrupt>;

const CheckpointOfThread = CheckpointRef.extend({ thread_id: z.string() }).meta({ id: 'CheckpointOfThread' });

/** The keyword by which the JSON Schema bounds how often a value of a schema is within another of it. */
const DEPTH_KEYWORD = 'x-max-depth';
/** More levels of subgraphs than any project has, and few enough to be walked by recursion. */
const MAX_STATE_DEPTH = 64;

const ThreadTask = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.array(z.unknown()).exactOptional(),
    error: z.string().nullable(),
    interrupts: z.array(RunInterrupt),
    checkpoint: CheckpointRef.nullable(),
    get state(): z.ZodExactOptional<z.ZodNullable<typeof ThreadState>> {
      return ThreadState.nullable().exactOptional();
    },
    result: Anything,
  })
  .meta({ id: 'ThreadTask' });

export const ThreadState = z
  .object({
    values: Anything,
    next: z.array(z.string()),
    tasks: z
      .array(ThreadTask)
      .describe('The `state` of a task is that of its subgraph, where it was asked for'),
    checkpoint: CheckpointOfThread.nullable().describe('Null where the thread has no checkpoint'),
    parent_checkpoint: CheckpointOfThread.nullable(),
    metadata: JsonObject,
    created_at: z.string().nullable().describe('ISO 8601'),
    interrupts: z.array(RunInterrupt),
  })
  .describe('As the LangGraph API shows it; values are JSON, messages as LangChain writes them')
  .meta({ id: 'ThreadState', [DEPTH_KEYWORD]: MAX_STATE_DEPTH });
export type ThreadState = Wire<typeof ThreadState>;

const Schema = JsonObject.nullable();

export const GraphSchemas = z
  .object({
    graph_id: z.string(),
    input_schema: Schema,
    output_schema: Schema,
    state_schema: Schema,
    config_schema: Schema,
    context_schema: Schema,
  })
  .describe('JSON Schemas of a graph; null where none could be found')
  .meta({ id: 'GraphSchemas' });
export type GraphSchemas = Wire<typeof GraphSchemas>;

export const GraphDrawing = z
  .object({ nodes: z.array(JsonObject), edges: z.array(JsonObject) })
  .meta({ id: 'GraphDrawing' });
export type GraphDrawing = Wire<typeof GraphDrawing>;
