import type { SecretBox } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { Destination, Outbox, OutboxMessage, Verdict } from '@roadstead/outbound';
import { payloadKinds } from '../records/run-operation.ts';
import { objectText } from '../reading/json-answer.ts';
import { everything, runMembers, type Selection } from '../reading/run-answer-rules.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import { readRecords, type RecordReader } from '../reading/run-reader-work.ts';
import type { RuleRow } from './rule-row.ts';
import type { Outcome } from './rule-rules.ts';
import type { RuleRunId } from './rule-run-row.ts';
import { updateOutcomes } from './rule-run-store.ts';
import { clearFailures, countFailure, findRule } from './rule-store.ts';
import { openWebhook, ruleRowOf } from './rule-webhooks.ts';

/** Calls of rules' webhooks go through the outbox: each is for one rule, run and address. */

interface Call extends RuleRunId {
  readonly url: string;
}

const destinationOf = (call: Call) => JSON.stringify(call);
const callOf = (destination: string) => JSON.parse(destination) as Call;

/** A larger run is sent without its payloads; their beginnings are in its previews. */
const MAX_BODY_BYTES = 1_048_576;

/** Adds one message for each address of the rule, in the transaction of its decision. */
export async function addCalls(
  tx: Transaction,
  { outbox, reader }: { readonly outbox: Pick<Outbox, 'add'>; readonly reader: RecordReader },
  { rule, run }: { readonly rule: RuleRow; readonly run: FoundRun },
): Promise<void> {
  const text =
    (await runText({ ...reader, db: tx }, run, everything({ left_out: new Set() }))) ??
    (await runText({ ...reader, db: tx }, run, everything({ left_out: new Set(payloadKinds) })));
  const { start_time, end_time } = run;
  const body = `${JSON.stringify({ rule_id: rule.id, start_time, end_time }).slice(0, -1)},"runs":[${text}]}`;
  const { workspace_id, id: rule_id } = rule;
  for (const { url } of rule.webhooks)
    await outbox.add(tx, {
      workspace_id,
      url,
      destination: destinationOf({ workspace_id, rule_id, run_id: run.run_id, url }),
      body,
    });
}

/** The run as JSON text; undefined where it is too large. */
async function runText(
  reader: RecordReader,
  run: FoundRun,
  selection: Selection,
): Promise<string | undefined> {
  const [record] = await readRecords(reader, [run], selection);
  if (record === undefined) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of objectText(runMembers(record, selection))) {
    pieces.push(Buffer.from(piece));
    bytes += pieces.at(-1)?.length ?? 0;
    if (bytes > MAX_BODY_BYTES) return undefined;
  }
  return Buffer.concat(pieces).toString();
}

/** The address and headers that the rule has when the call is made; undefined where it no longer has the webhook. */
export async function locateCall(
  { db, box }: { readonly db: Queryable; readonly box: SecretBox },
  destination: string,
): Promise<Destination | undefined> {
  const { workspace_id, rule_id, url } = callOf(destination);
  const rule = await findRule(db, { workspace_id, id: rule_id });
  const webhook = rule?.webhooks.find((one) => one.url === url);
  if (webhook === undefined) return undefined;
  const { headers, secret } = openWebhook(webhook, { box, row: ruleRowOf({ workspace_id, rule_id }) });
  return { url, headers, secrets: [secret] };
}

/** Records the outcome of a call, and counts it for or against the rule. */
export async function recordVerdict(
  tx: Transaction,
  { destination }: Pick<OutboxMessage, 'destination'>,
  verdict: Verdict,
): Promise<void> {
  const { url, ...id } = callOf(destination);
  const rule = { workspace_id: id.workspace_id, id: id.rule_id };
  const isDelivered = verdict.state === 'delivered';
  const how = isDelivered ? 'delivered' : verdict.error;
  await updateOutcomes(tx, {
    ...id,
    change: (outcomes) => ({
      ...outcomes,
      webhooks: withCall(outcomes.webhooks, url, how),
    }),
  });
  if (isDelivered) await clearFailures(tx, rule);
  else await countFailure(tx, { ...rule, error: `its webhook ${new URL(url).host} ${how}` });
}

function withCall(before: Outcome | undefined, url: string, how: string): Outcome {
  const payload = { ...before?.payload, [url]: how };
  const went_well = Object.values(payload).every((one) => one === 'delivered');
  return { outcome: went_well ? 'success' : 'error', payload };
}
