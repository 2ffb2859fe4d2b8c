import { CONSOLE_PATH } from '@roadstead/contracts/identity';
import type { AlertLogRow, AlertRow } from './alert-row.ts';

/** What receivers of an alert are sent. */

export type Notice = Pick<AlertLogRow, 'id' | 'at' | 'kind' | 'from_state' | 'to_state' | 'value'>;

interface Sender {
  readonly public_url: string;
}

/** The page of an alert in the console. */
const pageOf = (id: string, { public_url }: Sender) =>
  `${public_url.replace(/\/+$/, '')}${CONSOLE_PATH}/alerts/${id}`;

interface NoticeOf {
  readonly alert: AlertRow;
  readonly notice: Notice;
}

/** The body of a webhook. */
export function webhookBody({ alert, notice }: NoticeOf, sender: Sender): string {
  const { id, workspace_id, definition } = alert;
  const { mail_to: _others, ...asked } = definition;
  return JSON.stringify({
    type: notice.kind === 'test' ? 'alert.test' : `alert.${notice.to_state}`,
    id: notice.id,
    at: notice.at,
    workspace_id,
    from: notice.from_state,
    to: notice.to_state,
    value: notice.value,
    url: pageOf(id, sender),
    alert: { id, ...asked },
  });
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const words = { ok: 'is over', firing: 'fires', no_data: 'has no data', silenced: 'is silenced' } as const;

export function mailText({ alert, notice }: NoticeOf, sender: Sender): MailText {
  const { id, workspace_id, definition } = alert;
  const { name, metric, feedback_key, comparison, threshold, window_s, filter } = definition;
  const happens = notice.kind === 'test' ? 'is tested' : words[notice.to_state];
  const of = feedback_key === null ? metric : `${metric} of ${feedback_key}`;
  const lines = [
    `The alert “${name}” ${happens}.`,
    '',
    `${of} over ${window_s} s: ${notice.value ?? 'nothing to measure'} (${comparison} ${threshold})`,
    ...(filter === null ? [] : [`filter: ${filter}`]),
    `state: ${notice.from_state} → ${notice.to_state}`,
    `at: ${notice.at}`,
    `alert: ${id}, workspace ${workspace_id}`,
    pageOf(id, sender),
  ];
  return { subject: `[Roadstead] ${name} ${happens}`, text: `${lines.join('\n')}\n` };
}
