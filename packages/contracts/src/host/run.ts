import { z } from 'zod';
import { Anything } from './anything.ts';
import { AttemptRef } from './attempt.ts';
import { AuthUser } from './auth.ts';
import { HostError } from './error.ts';
import { CheckpointRef, RunCommand, RunInterrupt } from './state.ts';
import type { Wire } from './wire.ts';

/** How a run begins, and how it ends. */

const JsonObject = z.record(z.string(), z.unknown());

const Resumption = z
  .object({ value: Anything, interrupt_id: z.string().exactOptional() })
  .describe('The answer of a person to the question of a graph')
  .meta({ id: 'Resumption' });
export type Resumption = Wire<typeof Resumption>;

export const StreamMode = z
  .enum([
    'values',
    'updates',
    'messages',
    'messages-tuple',
    'custom',
    'events',
    'debug',
    'tasks',
    'checkpoints',
    'checkpoint-marks',
    'tools',
  ])
  .describe(
    'What a client of the LangGraph API may have streamed. `checkpoint-marks` tells of a checkpoint only what it is and where it stands',
  )
  .meta({ id: 'StreamMode' });
export type StreamMode = Wire<typeof StreamMode>;

const nodes = z.union([z.literal('*'), z.array(z.string())]).exactOptional();

export const RunParams = AttemptRef.extend({
  thread_id: z.string(),
  graph_id: z.string(),
  assistant_id: z.string(),
  input: z
    .unknown()
    .exactOptional()
    .describe('JSON of the input of the graph; absent with `resume` and `goes_on`'),
  goes_on: z
    .object({
      after: z.string().nullable().describe('The checkpoint that the thread had before the run, if any'),
    })
    .exactOptional()
    .describe(
      'The attempt goes on from the last checkpoint of its run; what came since `after` is reported again',
    ),
  resume: Resumption.exactOptional().describe(
    'The answer to an open interrupt, for `Command({ resume })`; without an id it answers the first one',
  ),
  command: RunCommand.exactOptional().describe('Instead of an input'),
  checkpoint: CheckpointRef.exactOptional().describe(
    'Where in the history of the thread the run begins; the newest unless given',
  ),
  context: z.unknown().exactOptional().describe('The context of the run, in the sense of LangGraph'),
  configured: z
    .array(z.string())
    .exactOptional()
    .describe(
      'Names in the context that only `configurable` gave: they are left out where the schema of the graph refuses them',
    ),
  interrupt_before: nodes,
  interrupt_after: nodes,
  stream: z
    .object({ modes: z.array(StreamMode), subgraphs: z.boolean() })
    .exactOptional()
    .describe('What is emitted as `stream` events; nothing unless given'),
  feedback_keys: z
    .array(z.string())
    .exactOptional()
    .describe(
      'The names of feedback on the run; where it is traced, the last `stream` event, `feedback`, tells where it is given',
    ),
  plain: z.boolean().exactOptional().describe('Whether `message` events are emitted; they are unless false'),
  values: z.boolean().exactOptional().describe('Whether the final state comes with the end of the run'),
  user: AuthUser.exactOptional().describe('The caller, where the deployment has an `auth` of its own'),
  traceparent: z.string().exactOptional().describe('The W3C Trace Context of the call that began the run'),
  traced_to: z
    .object({ project_name: z.string(), example_id: z.string().exactOptional() })
    .exactOptional()
    .describe('A second project that the run is traced to, there as the answer to an example'),
  has_checkpoint: z
    .boolean()
    .describe('Whether the thread has a checkpoint: without one the host need not ask for it'),
  configurable: JsonObject.describe('Merged into `config.configurable`'),
  metadata: JsonObject.describe('Merged into `config.metadata`'),
  tags: z.array(z.string()),
  chunks: z
    .boolean()
    .describe('Whether anybody reads chunks: without readers the host emits whole messages only'),
  durability: z.enum(['sync', 'async', 'exit']),
  recursion_limit: z.int().exactOptional(),
}).meta({ id: 'RunParams' });
export type RunParams = Wire<typeof RunParams>;

const outcomes = {
  success: z.object({
    outcome: z.literal('success'),
    interrupts: z
      .array(RunInterrupt)
      .describe('The questions that stay open: the run ended well, and the thread waits'),
    next: z
      .array(z.string())
      .exactOptional()
      .describe('The nodes that would be next, where the graph stopped before its end'),
    values: z
      .unknown()
      .exactOptional()
      .describe('The final state, where the run asked for it: JSON, messages as LangChain writes them'),
    output: Anything.describe(
      'JSON of what the output schema of the graph shows of the final state; null for nothing',
    ),
  }),
  error: z.object({ outcome: z.literal('error'), error: HostError }),
  cancelled: z.object({ outcome: z.literal('cancelled'), reason: z.enum(['cancel', 'drain']) }),
};

const RunResult = z.discriminatedUnion('outcome', [outcomes.success, outcomes.error, outcomes.cancelled]);
export type RunResult = Wire<typeof RunResult>;

export const RunEnd = z
  .discriminatedUnion('outcome', [
    outcomes.success.extend(AttemptRef.shape),
    outcomes.error.extend(AttemptRef.shape),
    outcomes.cancelled.extend(AttemptRef.shape),
  ])
  .meta({ id: 'RunEnd' });
