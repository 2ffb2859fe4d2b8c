import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { JsonObject, WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { TracerSession } from '../sessions/sessions.ts';

/** Experiments that ran elsewhere. */

const Free = z.record(z.string(), z.unknown());
const text = WellFormedText.nullish();
const score = z.union([z.number(), z.boolean()]).nullish();
const Score = z.object({
  id: Uuid.nullish(),
  key: WellFormedText.min(1).max(180),
  score,
  value: z.unknown().optional(),
  comment: text,
  correction: z.unknown().optional(),
  /** Whether the evaluator failed. */
  error: z.boolean().nullish(),
  feedback_source: z.unknown().optional(),
  feedback_group_id: Uuid.nullish(),
  comparative_experiment_id: Uuid.nullish(),
  created_at: text,
  modified_at: text,
  extra: Free.nullish(),
});

export const UploadedRow = z.object({
  row_id: Uuid.nullish(),
  inputs: JsonObject,
  expected_outputs: JsonObject.nullish(),
  actual_outputs: JsonObject.nullish(),
  evaluation_scores: z.array(Score).max(100).nullish(),
  start_time: WellFormedText,
  end_time: WellFormedText,
  run_name: text,
  error: text,
  run_metadata: JsonObject.nullish(),
});

/** The body, which is read a little at a time. */
export const ExperimentUpload = z.object({
  experiment_name: WellFormedText.min(1).max(500),
  experiment_description: text,
  experiment_start_time: WellFormedText,
  experiment_end_time: WellFormedText,
  experiment_metadata: JsonObject.nullish(),
  summary_experiment_scores: z.array(Score).max(1000).nullish(),
  dataset_id: Uuid.nullish(),
  dataset_name: text,
  dataset_description: text,
  /** The rows, each an `UploadedRow`; validating all at once would take long. */
  results: z.array(z.unknown()).max(10_000),
});

export const experimentUploads = {
  uploadExperiment: endpoint({
    ...v1,
    method: 'POST',
    path: '/datasets/upload-experiment',
    summary: 'Upload an experiment that ran elsewhere',
    access: 'datasets:write',
    errors: [404, 409],
    raw: true,
    max_body_bytes: 26_214_400,
    success: { status: 200, body: z.object({ dataset: Free, experiment: TracerSession }) },
    example: {
      body: {
        experiment_name: 'from the notebook',
        dataset_name: 'questions',
        experiment_start_time: '2026-01-01T00:00:00Z',
        experiment_end_time: '2026-01-01T00:01:00Z',
        results: [
          {
            inputs: { question: 'What is a roadstead?' },
            expected_outputs: { answer: 'A place to anchor' },
            actual_outputs: { answer: 'A harbour' },
            evaluation_scores: [{ key: 'correctness', score: 0.5 }],
            start_time: '2026-01-01T00:00:00Z',
            end_time: '2026-01-01T00:00:01Z',
          },
        ],
      },
    },
  }),
};
