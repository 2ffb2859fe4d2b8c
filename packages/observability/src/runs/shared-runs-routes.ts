import type { RunQuery, sharedRuns } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { Clock } from '@roadstead/kit';
import { feedbackAnswer } from '../feedback/feedback-answer-rules.ts';
import { writeCursor } from '../queries/cursor-rules.ts';
import { allItems, jsonAnswer, listText, objectText, pageText } from '../reading/json-answer.ts';
import { everything, runMembers, selectionOf } from '../reading/run-answer-rules.ts';
import { runV2Members, selectionV2Of, type LinkOptions } from '../reading/run-answer-v2-rules.ts';
import { readRecords, type RunReader } from '../reading/run-reader-work.ts';
import { traceRunsAnswer } from '../reading/trace-runs-answer.ts';
import { leftOut } from '../queries/run-query-rules.ts';
import { sharedSearchOf, withoutPrivate } from './shared-runs-rules.ts';
import {
  listSharedFeedback,
  readSharedRun,
  readSharedRuns,
  searchSharedRuns,
  sharedRunPages,
} from './shared-runs-work.ts';

type SharedRunHandlers = Handlers<typeof sharedRuns>;

const PAGE = 500;

/** Reads through a link, without a key: the workspace is that of the link. */
export function sharedRunHandlers(reader: RunReader, clock: Clock, links: LinkOptions): SharedRunHandlers {
  const open = async (token: string) => readSharedRuns(reader, { token, clock });
  const under = (token: string) => ({ ...reader, addresses: reader.addresses.under(token) });
  const one = async (
    token: string,
    { id: run_id, query }: { readonly id?: string; readonly query?: Parameters<typeof leftOut>[0] },
  ) => {
    const row = await readSharedRun(reader, await open(token), { run_id, clock });
    const selection = withoutPrivate(everything({ left_out: leftOut(query ?? {}) }));
    const [record] = await readRecords(under(token), [row], selection);
    return jsonAnswer(objectText(record === undefined ? [] : runMembers(record, selection)));
  };
  const page = async (token: string, query: RunQuery) => {
    const shared = await open(token);
    const search = sharedSearchOf(shared, query);
    const ids = query.id == null || query.id.length === 0 ? undefined : query.id;
    const { rows, last } = await searchSharedRuns(reader, shared, { search, ids, clock });
    const selection = withoutPrivate(selectionOf(query.select));
    const items = (await readRecords(under(token), rows, selection)).map((record) =>
      runMembers(record, selection),
    );
    return { items, next: last === undefined ? null : writeCursor(last) };
  };
  return {
    readSharedRunPage: async ({ params }) => one(params.share_token, {}),
    readSharedRun: async ({ params, query }) => one(params.share_token, { query }),
    readSharedChildRun: async ({ params, query }) => one(params.share_token, { id: params.id, query }),
    listSharedRuns: async ({ params, query: { id, limit } }) =>
      jsonAnswer(listText((await page(params.share_token, { id, limit })).items)),
    querySharedRuns: async ({ params, body }) => {
      const { items, next } = await page(params.share_token, body);
      return jsonAnswer(pageText({ name: 'runs', items }, { cursors: { next, prev: null } }));
    },
    listSharedRunFeedback: async ({ params, query }) => {
      const rows = await listSharedFeedback(reader, await open(params.share_token), query);
      return rows.map((row) => feedbackAnswer({ ...row, session_id: null, user_id: null, source: {} }));
    },
    readSharedRunV2: async ({ params, query }) => {
      const row = await readSharedRun(reader, await open(params.share_token), {
        run_id: params.run_id,
        clock,
      });
      const wanted = selectionV2Of(query.selects);
      const [record] = await readRecords(under(params.share_token), [row], wanted);
      return jsonAnswer(objectText(record === undefined ? [] : runV2Members(record, wanted, links)));
    },
    querySharedRunsV2: async ({ params, body }) => {
      const shared = await open(params.share_token);
      const search = sharedSearchOf(shared, { order: 'asc', limit: PAGE });
      const wanted = selectionV2Of(body.selects);
      const own = under(params.share_token);
      if (shared.kind === 'run') return traceRunsAnswer(own, { ...shared, search }, { wanted, links });
      const pages = async function* () {
        for await (const rows of sharedRunPages(own, shared, { search, clock }))
          yield (await readRecords(own, rows, wanted)).map((record) => runV2Members(record, wanted, links));
      };
      return jsonAnswer(allItems(pages()));
    },
  };
}
