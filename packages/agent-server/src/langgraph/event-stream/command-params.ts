import {
  RunConfig,
  ThreadRunCreate,
  EventNamespace,
  type ThreadErrorCode,
} from '@roadstead/contracts/agent-server';
import { JsonObject, WellFormedText } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';

/** The params of commands, and the way to refuse a command. */

const Settings = { config: RunConfig.nullish(), metadata: JsonObject.nullish() };
const Answer = z.object({
  interrupt_id: WellFormedText.min(1).max(256),
  namespace: EventNamespace.nullish(),
  response: z.unknown(),
});
const Command = { update: z.unknown().optional(), goto: z.unknown().optional() };

export const RunStartParams = z.object({
  ...Settings,
  assistant_id: ThreadRunCreate.shape.assistant_id,
  input: z.unknown().optional(),
  context: z.unknown().optional(),
  langsmith_tracer: ThreadRunCreate.shape.langsmith_tracer,
  multitaskStrategy: ThreadRunCreate.shape.multitask_strategy,
});
export const InputRespondParams = z.union([
  z.object({ ...Settings, ...Command, responses: z.array(Answer).min(1).max(1000) }),
  z
    .object({ ...Settings, ...Command, ...Answer.shape })
    .transform(({ interrupt_id, response, namespace, ...rest }) => ({
      ...rest,
      responses: [{ interrupt_id, response, namespace }],
    })),
]);
export const InputInjectParams = z.object({
  namespace: EventNamespace.nullish(),
  message: z.object({
    role: z.enum(['user', 'system']),
    content: WellFormedText,
    name: WellFormedText.optional(),
  }),
});
export const GetTreeParams = z.object({ run_id: z.uuid().nullish() });
export const StateGetParams = z.object({
  namespace: EventNamespace.nullish(),
  keys: z.array(WellFormedText).max(1000).nullish(),
});
export const ListCheckpointsParams = z.object({
  namespace: EventNamespace.nullish(),
  limit: z.int().min(1).max(1000).nullish(),
  before: WellFormedText.max(256).nullish(),
});
export const StateForkParams = z.object({
  checkpoint_id: WellFormedText.min(1).max(256),
  input: z.unknown().optional(),
  config: RunConfig.nullish(),
});

/** @throws Problem with the code `invalid_argument` */
export function parsed<T extends z.ZodType>(schema: T, params: unknown): z.output<T> {
  const read = schema.safeParse(params ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = ['params', ...(issue?.path ?? [])].join('.');
  throw refused('invalid_argument', `${field}: ${issue?.message ?? 'can’t be read'}`);
}

/** Refuses a command with the protocol's code. */
export const refused = (code: ThreadErrorCode, message: string) => new Problem('invalid', message, { code });
