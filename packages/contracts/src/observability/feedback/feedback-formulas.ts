import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryInt, Uuid } from '../../values/query-values.ts';
import { FeedbackKey } from './feedback.ts';
import { v1, retired } from '../mounts.ts';

/** Scores computed from other scores: a weighted sum or mean of those under other keys. */

const FormulaPart = z.object({
  part_type: z.literal('weighted_key'),
  weight: z.number().min(-1e6).max(1e6),
  key: FeedbackKey,
});

const FormulaUpdate = z
  .object({
    feedback_key: FeedbackKey,
    aggregation_type: z.enum(['sum', 'avg']),
    formula_parts: z.array(FormulaPart).min(1).max(50),
  })
  .meta({ id: 'FeedbackFormulaUpdate' });

/** A formula for one project, or for the experiments on a dataset: exactly one of the two. */
const FormulaCreate = FormulaUpdate.extend({ dataset_id: Uuid.nullish(), session_id: Uuid.nullish() }).meta({
  id: 'FeedbackFormulaCreate',
});

export const FeedbackFormula = FormulaUpdate.extend({
  id: z.string(),
  dataset_id: z.string().nullable(),
  session_id: z.string().nullable(),
  created_at: z.string(),
  modified_at: z.string(),
}).meta({ id: 'FeedbackFormula' });
export type FeedbackFormula = z.output<typeof FeedbackFormula>;

const read = { ...v1, access: 'feedback:read' } as const;
const write = { ...v1, access: 'feedback:write' } as const;
const path = '/feedback/formulas' as const;
const one = `${path}/{feedback_formula_id}` as const;
const params = z.object({ feedback_formula_id: Uuid });
const success = { status: 200, body: FeedbackFormula } as const;
const example = {
  feedback_key: 'overall',
  aggregation_type: 'avg',
  formula_parts: [
    { part_type: 'weighted_key', weight: 2, key: 'correctness' },
    { part_type: 'weighted_key', weight: 1, key: 'helpful' },
  ],
} as const;

export const feedbackFormulas = {
  createFeedbackFormula: endpoint({
    ...retired,
    ...write,
    method: 'POST',
    path,
    summary: 'Create a formula over feedback; one there is already of the key is 409',
    errors: [404, 409],
    body: FormulaCreate,
    success,
    example: {
      body: {
        ...example,
        formula_parts: [...example.formula_parts],
        session_id: '0199d3a0-0000-7000-8000-00000000000b',
      },
    },
  }),
  listFeedbackFormulas: endpoint({
    ...retired,
    ...read,
    method: 'GET',
    path,
    summary: 'List the formulas over feedback',
    query: z.object({
      dataset_id: Uuid.optional(),
      session_id: Uuid.optional(),
      limit: queryInt({ min: 1, max: 100, fallback: 20 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.array(FeedbackFormula) },
    example: { query: { limit: '20' } },
  }),
  readFeedbackFormula: endpoint({
    ...retired,
    ...read,
    method: 'GET',
    path: one,
    summary: 'Read a formula over feedback',
    params,
    success,
  }),
  putFeedbackFormula: endpoint({
    ...retired,
    ...write,
    method: 'PUT',
    path: one,
    summary: 'Change a formula over feedback',
    errors: [409],
    params,
    body: FormulaUpdate,
    success,
    example: { body: { ...example, feedback_key: 'quality', formula_parts: [...example.formula_parts] } },
  }),
  deleteFeedbackFormula: endpoint({
    ...retired,
    ...v1,
    access: 'feedback:admin',
    method: 'DELETE',
    path: one,
    summary: 'Delete a formula over feedback',
    params,
    success: { status: 200, body: z.object({ message: z.string() }) },
  }),
};
