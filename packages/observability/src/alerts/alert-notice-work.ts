import type { SecretBox } from '@roadstead/kit';
import type {
  DueMessage,
  Mailer,
  Outbox,
  OutboxMessage,
  Receiver,
  SentMessage,
  Verdict,
} from '@roadstead/outbound';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { openWebhook } from '../rules/rule-webhooks.ts';
import { type EntryAddress, insertEntry, recordDelivery } from './alert-log-store.ts';
import { mailText, type MailText, type Notice, webhookBody } from './alert-notice-rules.ts';
import type { AlertLogRow, AlertRow, Delivery } from './alert-row.ts';
import { findAlert } from './alert-store.ts';

/** Messages of alerts go through the outbox: one for each entry of the log and each address. */

interface NoticeAddress extends EntryAddress {
  readonly by: 'alert webhook' | 'alert mail';
}

const destinationOf = (address: NoticeAddress) => JSON.stringify(address);
const addressOf = (destination: string) => JSON.parse(destination) as NoticeAddress;

/** Whether a message of the outbox is an alert's. */
export const isNotice = (destination: string): boolean =>
  (addressOf(destination).by ?? '').startsWith('alert ');

export const alertRowOf = ({ workspace_id, id }: Pick<AlertRow, 'workspace_id' | 'id'>) =>
  `alert/${workspace_id}/${id}/webhook`;

export interface NoticeContext {
  readonly outbox: Pick<Outbox, 'addAll' | 'wake'>;
  readonly public_url: string;
}

const WAITING: Delivery = { state: 'waiting', error: null };

interface AddedEntry {
  readonly entry: AlertLogRow;
  /** The messages, which are woken once the transaction is committed. */
  readonly messages: readonly DueMessage[];
}

/** Adds an entry to the log and, where somebody is to be told, a message for each address; in one transaction. */
export async function addEntry(
  tx: Transaction,
  { outbox, public_url }: NoticeContext,
  {
    alert,
    notice,
    notified,
  }: { readonly alert: AlertRow; readonly notice: Notice; readonly notified: boolean },
): Promise<AddedEntry> {
  const { workspace_id, id, webhooks, definition } = alert;
  const of = { workspace_id, id, entry_id: notice.id };
  const body = webhookBody({ alert, notice }, { public_url });
  const mail = JSON.stringify(mailText({ alert, notice }, { public_url }));
  const messages: SentMessage[] = notified
    ? [
        ...webhooks.map(({ url }) => ({
          workspace_id,
          url,
          destination: destinationOf({ ...of, by: 'alert webhook', to: url }),
          body,
        })),
        ...definition.mail_to.map((to) => ({
          workspace_id,
          url: 'smtp://mail',
          destination: destinationOf({ ...of, by: 'alert mail', to }),
          body: mail,
        })),
      ]
    : [];
  const told = messages.map(({ destination }) => [addressOf(destination).to, WAITING] as const);
  const entry = await insertEntry(tx, alert, { ...notice, notified, deliveries: Object.fromEntries(told) });
  return { entry, messages: messages.length === 0 ? [] : await outbox.addAll(tx, messages) };
}

export interface ReceiverContext {
  readonly db: Queryable;
  readonly box: SecretBox;
  readonly mailer: Mailer | undefined;
}

/** The receiver of a message as the alert has it when it is sent; undefined where it no longer does. */
export async function locateNotice(
  { db, box, mailer }: ReceiverContext,
  destination: string,
): Promise<Receiver | undefined> {
  const { by, to, ...key } = addressOf(destination);
  const alert = await findAlert(db, key);
  if (alert === undefined) return undefined;
  if (by === 'alert mail')
    return alert.definition.mail_to.includes(to) ? mailReceiver(mailer, to) : undefined;
  const webhook = alert.webhooks.find(({ url }) => url === to);
  if (webhook === undefined) return undefined;
  const { headers, secret } = openWebhook(webhook, { box, row: alertRowOf(alert) });
  return { url: to, headers, secrets: [secret] };
}

const mailReceiver = (mailer: Mailer | undefined, to: string): Receiver => ({
  send: async ({ id, body }, signal) =>
    mailer === undefined
      ? { kind: 'failed', is_refused: false, message: 'no mail server is named' }
      : mailer.send({ id, to, ...(JSON.parse(body) as MailText) }, signal),
});

/** Shows in the log what came of a message. */
export async function recordNotice(
  tx: Transaction,
  { destination }: Pick<OutboxMessage, 'destination'>,
  verdict: Verdict,
): Promise<void> {
  const error = verdict.state === 'delivered' ? null : verdict.error;
  await recordDelivery(tx, addressOf(destination), { state: verdict.state, error });
}
