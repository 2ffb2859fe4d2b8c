import type { feedbackFormulas } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { naive } from '../values/instant-rules.ts';
import { requireSessions } from '../session-records/session-store.ts';
import {
  deleteFormula,
  type FormulaRow,
  insertFormula,
  listFormulas,
  readFormula,
  updateFormula,
} from './feedback-formula-store.ts';

type FormulaHandlers = Handlers<typeof feedbackFormulas>;

export function feedbackFormulaHandlers(db: Database, clock: Clock): FormulaHandlers {
  const now = () => new Date(clock.now()).toISOString();
  return {
    createFeedbackFormula: async ({ body, workspace_id }) => {
      const { dataset_id = null, session_id = null, ...formula } = body;
      if ((dataset_id === null) === (session_id === null))
        throw new Problem('invalid', 'A formula belongs to one of `dataset_id` and `session_id`.');
      if (session_id !== null) await requireSessions(db, { workspace_id, ids: [session_id] });
      const at = { created_at: now(), modified_at: now() };
      return answerOf(
        await insertFormula(db, { ...formula, workspace_id, id: uuidv7(), dataset_id, session_id, ...at }),
      );
    },
    listFeedbackFormulas: async ({ query, workspace_id }) => {
      const { dataset_id, session_id } = query;
      return (await listFormulas(db, { workspace_id, dataset_id, session_id }, query)).map(answerOf);
    },
    readFeedbackFormula: async ({ params, workspace_id }) =>
      answerOf(await readFormula(db, { workspace_id, id: params.feedback_formula_id })),
    putFeedbackFormula: async ({ params, body, workspace_id }) => {
      const id = { workspace_id, id: params.feedback_formula_id };
      return answerOf(await updateFormula(db, id, { ...body, modified_at: now() }));
    },
    deleteFeedbackFormula: async ({ params, workspace_id }) => {
      await deleteFormula(db, { workspace_id, id: params.feedback_formula_id });
      return { message: 'The formula is deleted.' };
    },
  };
}

const answerOf = (row: FormulaRow) => ({
  id: row.id,
  dataset_id: row.dataset_id,
  session_id: row.session_id,
  feedback_key: row.feedback_key,
  aggregation_type: row.aggregation_type,
  formula_parts: row.formula_parts,
  created_at: naive(row.created_at) ?? '',
  modified_at: naive(row.modified_at) ?? '',
});
