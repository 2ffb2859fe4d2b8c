import { shownInterrupt } from '../runs/interrupt-rules.ts';
import type { WebhookCall } from './webhook-call.ts';

/**
 * The body of a webhook call: the run as the LangGraph API shows it, how it ended, and the state that it left. A run
 * that stops to ask ends as a success: the questions show that its thread waits; where the graph stopped at a node
 * there are none.
 */
export function webhookBody(
  { run, values, started, ended }: WebhookCall,
  { shown, now }: { readonly shown: Readonly<Record<string, unknown>>; readonly now: Date },
): object {
  const end = ended?.kind === 'end' ? ended : undefined;
  const waits = end?.status === 'success' && (end.interrupts.length > 0 || (end.next ?? []).length > 0);
  return {
    ...shown,
    status: run.status,
    run_started_at: started?.kind === 'started' ? started.at : run.created_at,
    run_ended_at: end?.at ?? run.updated_at,
    webhook_sent_at: now.toISOString(),
    ...(values === undefined ? {} : { values }),
    ...(waits ? { interrupts: end.interrupts.map(shownInterrupt) } : {}),
    ...(end?.error === undefined ? {} : { error: end.error.message }),
  };
}
