import type { TokenEventSummary } from '@roadstead/contracts/control-plane';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { TokenFilter } from '../acting-rules.ts';
import type { TokenRow } from './token-store.ts';

/** The history of users’ tokens. It outlives them, and holds no secret. */

export interface NewTokenEvent {
  readonly token: Pick<
    TokenRow,
    'id' | 'workspace_id' | 'user_id' | 'created_by' | 'provider_id' | 'provider_account_label' | 'scopes'
  >;
  readonly event_type:
    | 'connected'
    | 'imported'
    | 'reconnect_required'
    | 'deleted'
    | 'agent_connected'
    | 'agent_disconnected';
  /** The reason, as a code. */
  readonly reason?: string;
  /** The origin of the change: an actor, or a part of the service. */
  readonly source: string;
  readonly agent_id?: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Runs in the transaction that makes the change which the event reports. */
export async function insertTokenEvent(tx: Transaction, event: NewTokenEvent): Promise<void> {
  const { token } = event;
  await tx.run(
    `insert into oauth_token_events (workspace_id, user_id, created_by, provider_id, oauth_token_id, agent_id,
       event_type, reason, source, provider_account_label, scopes, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::jsonb)`,
    [
      token.workspace_id,
      token.user_id,
      token.created_by,
      token.provider_id,
      token.id,
      event.agent_id ?? null,
      event.event_type,
      event.reason ?? null,
      event.source,
      token.provider_account_label,
      token.scopes,
      event.detail === undefined ? null : JSON.stringify(event.detail),
    ],
  );
}

/** Token events, newest first. */
export async function listTokenEvents(
  db: Queryable,
  asked: {
    readonly workspace_id: string;
    readonly whose: TokenFilter;
    readonly provider_id: string | undefined;
    readonly limit: number;
  },
): Promise<TokenEventSummary[]> {
  const { whose } = asked;
  const [user_id, created_by] = 'user_id' in whose ? [whose.user_id, null] : [null, whose.created_by];
  return db.query<TokenEventSummary>(
    `select id::text, provider_id, agent_id, event_type, reason, source, provider_account_label, scopes, detail,
       null::timestamptz as acknowledged_at, created_at
     from oauth_token_events
     where workspace_id = $1 and ($2::text is null or provider_id = $2) and ($3::text is null or user_id = $3)
       and ($4::text is null or created_by = $4)
     order by oauth_token_events.id desc limit $5`,
    [asked.workspace_id, asked.provider_id ?? null, user_id, created_by, asked.limit],
  );
}
