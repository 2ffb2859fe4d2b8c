import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v2 } from '../mounts.ts';
import { asksOneThing, ONE_THING, playgroundFields } from './playground-shapes.ts';

/** A model called once for each example of a dataset; the runs are those of an experiment. */

export const PlaygroundExperimentStatus = z
  .enum(['running', 'done', 'cancelled'])
  .meta({ id: 'PlaygroundExperimentStatus' });
export type PlaygroundExperimentStatus = z.output<typeof PlaygroundExperimentStatus>;

const PlaygroundExperiment = z
  .object({
    /** That of the experiment, which is a tracing project. */
    id: Uuid,
    name: z.string(),
    dataset_id: Uuid,
    model_provider_id: Uuid,
    model: z.string(),
    status: PlaygroundExperimentStatus,
    /** Calls: each example as often as it is repeated. */
    total: z.number(),
    waiting: z.number(),
    done: z.number(),
    /** Calls whose run ended with an error. */
    failed: z.number(),
    cancelled: z.number(),
    /** The sentence of the last call that failed. */
    last_error: z.string().nullable(),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'PlaygroundExperiment' });
export type PlaygroundExperiment = z.output<typeof PlaygroundExperiment>;

const params = z.object({ playground_experiment_id: Uuid });

const PlaygroundExperimentCreate = z
  .object({
    ...playgroundFields,
    dataset_id: Uuid,
    /** The version of the dataset: an instant or a tag. */
    as_of: WellFormedText.min(1).max(200).nullish(),
    splits: z.array(WellFormedText.min(1).max(200)).min(1).max(100).nullish(),
    repetitions: z.number().int().min(1).max(30).default(1),
    /** Absent: made of the model’s name. */
    name: WellFormedText.min(1).max(500).nullish(),
    description: WellFormedText.max(10_000).nullish(),
  })
  .refine(asksOneThing, ONE_THING);
export type PlaygroundExperimentCreate = z.output<typeof PlaygroundExperimentCreate>;

export const playgroundExperiments = {
  listPlaygroundExperiments: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/playground/experiments',
    summary: 'List the experiments that the playground runs, the newest first',
    access: 'prompts:read',
    query: z.object({
      dataset_id: Uuid.optional(),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(PlaygroundExperiment), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
  createPlaygroundExperiment: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/playground/experiments',
    summary:
      'Call a model for each example of a dataset, whose inputs are the variables; goes on until it is done or cancelled',
    access: 'prompts:write',
    errors: [404, 409],
    max_body_bytes: 20_971_520,
    body: PlaygroundExperimentCreate,
    success: { status: 201, body: PlaygroundExperiment },
    example: {
      body: {
        dataset_id: '0199d3a0-0000-7000-8000-0000000000d1',
        model_provider_id: '0199d3a0-0000-7000-8000-00000000000c',
        model: 'gpt-4.1-mini',
        messages: [{ role: 'user', content: '{{question}}' }],
        repetitions: 2,
      },
    },
  }),
  readPlaygroundExperiment: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/playground/experiments/{playground_experiment_id}',
    summary: 'Read how far an experiment of the playground has come',
    access: 'prompts:read',
    params,
    success: { status: 200, body: PlaygroundExperiment },
  }),
  cancelPlaygroundExperiment: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/playground/experiments/{playground_experiment_id}/cancel',
    summary: 'Call the model for no further example; one that has ended stays as it is',
    access: 'prompts:write',
    params,
    success: { status: 200, body: PlaygroundExperiment },
  }),
};
