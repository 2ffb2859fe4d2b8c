import type { alerts, AlertFields as SentAlert } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { pageOf, Problem, type SecretBox, uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { seriesRequestOf, searchOfSeries } from '../series/series-rules.ts';
import { listSeriesProjects } from '../series/series-store.ts';
import type { RowKey } from '../values/keys.ts';
import { alertAnswer, BLANK_ALERT, keptAlert, logAnswer } from './alert-fields-rules.ts';
import { listEntries } from './alert-log-store.ts';
import { alertRowOf } from './alert-notice-work.ts';
import { deleteAlert, insertAlert, listAlerts, lockAlert, readAlert, updateAlert } from './alert-store.ts';
import { type AlertContext, testAlert } from './alert-work.ts';

interface AlertsContext extends AlertContext {
  readonly secret_box: SecretBox;
  /** Whether the operator named a mail server. */
  readonly sends_mail: boolean;
  readonly changed: (alert: RowKey) => void;
}

export function alertHandlers(context: AlertsContext): Handlers<typeof alerts> {
  const { db, clock, secret_box: box, changed } = context;
  const now = () => new Date(clock.now()).toISOString();
  const keyOf = (workspace_id: string, { alert_id }: { readonly alert_id: string }) => ({
    workspace_id,
    id: alert_id,
  });
  return {
    listAlerts: async ({ query, workspace_id }) => {
      const { items, next_cursor } = await pageOf(query, (span) => listAlerts(db, { workspace_id, ...span }));
      return { items: items.map((row) => alertAnswer(row)), next_cursor };
    },
    createAlert: async ({ body, workspace_id }) => {
      const key = { workspace_id, id: uuidv7() };
      const { fields, new_secrets } = keptAlert(BLANK_ALERT, { box, row: alertRowOf(key), sent: body });
      await checkReferences(context, { workspace_id, sent: body });
      const row = await insertAlert(db, key, { fields, now: now() });
      changed(key);
      return alertAnswer(row, new_secrets);
    },
    readAlert: async ({ params, workspace_id }) =>
      alertAnswer(await readAlert(db, keyOf(workspace_id, params))),
    patchAlert: async ({ params, body, workspace_id }) => {
      const key = keyOf(workspace_id, params);
      const { row, new_secrets } = await db.transaction(async (tx) => {
        const present = await lockAlert(tx, key);
        const kept = keptAlert(present, { box, row: alertRowOf(present), sent: body });
        await checkReferences({ ...context, db: tx }, { workspace_id, sent: body });
        const updated = await updateAlert(tx, key, { fields: kept.fields, now: now() });
        return { row: updated, new_secrets: kept.new_secrets };
      });
      changed({ workspace_id, id: row.id });
      return alertAnswer(row, new_secrets);
    },
    deleteAlert: async ({ params, workspace_id }) => deleteAlert(db, keyOf(workspace_id, params)),
    testAlert: async ({ params, workspace_id }) =>
      logAnswer(await testAlert(context, keyOf(workspace_id, params))),
    listAlertLog: async ({ params, query, workspace_id }) => {
      const alert = await readAlert(db, keyOf(workspace_id, params));
      const { items, next_cursor } = await pageOf(query, (span) => listEntries(db, alert, span));
      return { items: items.map(logAnswer), next_cursor };
    },
  };
}

interface References {
  readonly db: Queryable;
  readonly sends_mail: boolean;
}

/** @throws Problem for a filter that is none, a project that does not exist, or mail that nobody could send. */
async function checkReferences(
  { db, sends_mail }: References,
  { workspace_id, sent }: { readonly workspace_id: string; readonly sent: SentAlert },
): Promise<void> {
  const { filter, project_ids, mail_to = [] } = sent;
  const instants = { start_time: '2026-01-05T00:00:00Z', end_time: '2026-01-05T00:01:00Z' };
  searchOfSeries(seriesRequestOf({ ...instants, filter, compare: false }), []);
  const ids = project_ids == null || project_ids.length === 0 ? undefined : [...new Set(project_ids)];
  if (ids !== undefined && (await listSeriesProjects(db, { workspace_id, ids })).length < ids.length)
    throw new Problem('not_found', 'There is no such tracing project.');
  if (mail_to.length > 0 && !sends_mail)
    throw new Problem('invalid', '"mail_to" cannot be used: this server sends no mail.', {
      hint: 'The operator can name a mail server by ROADSTEAD_SMTP_HOST.',
    });
}
