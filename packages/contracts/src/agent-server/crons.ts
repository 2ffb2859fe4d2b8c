import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, Uuid } from '../values/query-values.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';
import { page } from './langgraph-shapes.ts';
import { ThreadRunCreate } from './run-create.ts';

/** Crons: runs that a schedule begins. */

const access = 'agents:invoke';
/** A time with an offset, or in UTC; some clients write a date without either. */
const Moment = z.iso.datetime({ offset: true, local: true });

const schedule = WellFormedText.min(1)
  .max(256)
  .describe('As crontab writes it; six fields begin with seconds');
const timezone = WellFormedText.min(1).max(64).nullish().describe('IANA name; UTC unless said');

/** The request that its runs are made of. */
export const CronPayload = ThreadRunCreate.pick({
  input: true,
  command: true,
  metadata: true,
  config: true,
  context: true,
  webhook: true,
  interrupt_before: true,
  interrupt_after: true,
  stream_mode: true,
  stream_subgraphs: true,
  stream_resumable: true,
  durability: true,
  checkpoint_during: true,
  multitask_strategy: true,
}).partial();
export type CronPayload = z.output<typeof CronPayload>;

const timeFields = {
  timezone,
  end_time: Moment.nullish().describe('No run begins after it'),
  enabled: z.boolean().nullish(),
};

const on_run_completed = z
  .enum(['delete', 'keep'])
  .nullish()
  .describe('What becomes of the thread that each run gets; `delete` unless said');

const CronCreate = CronPayload.extend({
  assistant_id: WellFormedText.min(1).max(256),
  schedule,
  ...timeFields,
  on_run_completed,
}).meta({ id: 'CronCreate' });
export type CronCreate = z.output<typeof CronCreate>;

const CronUpdate = CronPayload.extend({ schedule: schedule.nullish(), ...timeFields, on_run_completed }).meta(
  { id: 'CronUpdate' },
);

export const Cron = z
  .object({
    cron_id: Uuid,
    assistant_id: Uuid,
    thread_id: Uuid.nullable(),
    /** Null on a thread, which stays. */
    on_run_completed: z.enum(['delete', 'keep']).nullable(),
    end_time: z.string().nullable(),
    schedule: z.string(),
    timezone: z.string().nullable(),
    enabled: z.boolean(),
    created_at: z.string(),
    updated_at: z.string(),
    user_id: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()),
    next_run_date: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Cron' });
export type Cron = z.output<typeof Cron>;

const cronFilters = {
  assistant_id: WellFormedText.min(1).max(256).nullish(),
  thread_id: Uuid.nullish(),
  enabled: z.boolean().nullish(),
  metadata: JsonObject.nullish(),
};

const CronField = z.enum([...(Object.keys(Cron.shape) as (keyof Cron)[]), 'now']);

const cronParams = z.object({ cron_id: Uuid });
const success = { status: 200, body: Cron } as const;

export const cronEndpoints = {
  createCron: endpoint({
    method: 'POST',
    path: '/runs/crons',
    summary: 'A cron whose runs get a thread of their own each',
    access,
    body: CronCreate,
    success,
    errors: [403, 404],
    example: {
      body: {
        assistant_id: 'agent',
        schedule: '0 9 * * 1-5',
        timezone: 'Europe/Berlin',
        input: { messages: [] },
      },
    },
  }),
  createThreadCron: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/runs/crons',
    summary: 'A cron whose runs go on with a thread',
    access,
    params: z.object({ thread_id: Uuid }),
    body: CronCreate,
    success,
    errors: [403, 404],
    example: { body: { assistant_id: 'agent', schedule: '*/15 * * * *', input: { messages: [] } } },
  }),
  searchCrons: endpoint({
    method: 'POST',
    path: '/runs/crons/search',
    summary: 'Crons; `x-pagination-next` holds the next offset where there are more',
    access,
    body: z
      .object({
        ...cronFilters,
        ...page,
        sort_by: z
          .enum([
            'cron_id',
            'assistant_id',
            'thread_id',
            'created_at',
            'updated_at',
            'next_run_date',
            'end_time',
          ])
          .nullish(),
        sort_order: z.enum(['asc', 'desc', 'ASC', 'DESC']).nullish(),
        select: filterBy(z.array(CronField).max(50).nullable()),
      })
      .meta({ id: 'CronSearch' }),
    success: { status: 200, media_types: ['application/json'] },
    errors: [403],
    example: { body: { limit: 20 } },
  }),
  countCrons: endpoint({
    method: 'POST',
    path: '/runs/crons/count',
    summary: 'How many crons there are',
    access,
    body: z.object(cronFilters).meta({ id: 'CronCount' }),
    success: { status: 200, body: z.number().int() },
    errors: [403],
    example: { body: {} },
  }),
  readCron: endpoint({
    method: 'GET',
    path: '/runs/crons/{cron_id}',
    summary: 'A cron',
    access,
    params: cronParams,
    success,
    errors: [403],
  }),
  updateCron: endpoint({
    method: 'PATCH',
    path: '/runs/crons/{cron_id}',
    summary: 'Change the fields that are sent; `end_time: null` removes the end',
    access,
    params: cronParams,
    body: CronUpdate,
    success,
    errors: [403],
    example: { body: { enabled: false } },
  }),
  deleteCron: endpoint({
    method: 'DELETE',
    path: '/runs/crons/{cron_id}',
    summary: 'Ends a cron; runs that it began go on',
    access,
    params: cronParams,
    success: { status: 204 },
    errors: [403],
  }),
};
