import type { WebhookCall } from './webhook-call.ts';

/** What a webhook is told: the run as the LangGraph API shows it, how it ended, and the state that it left. */
export function webhookBody(
  { run, values, started, ended }: WebhookCall,
  { shown, now }: { readonly shown: Readonly<Record<string, unknown>>; readonly now: Date },
): object {
  const end = ended?.kind === 'end' ? ended : undefined;
  return {
    ...shown,
    status: run.status,
    run_started_at: started?.kind === 'started' ? started.at : run.created_at,
    run_ended_at: end?.at ?? run.updated_at,
    webhook_sent_at: now.toISOString(),
    ...(values === undefined ? {} : { values }),
    ...(end?.error === undefined ? {} : { error: end.error.message }),
  };
}
