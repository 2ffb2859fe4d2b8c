import type { RunParams } from '@roadstead/contracts/host';

/** Where traces go, as the tracing client finds it; read before user code may change it. */
const {
  LANGSMITH_TRACING: tracing,
  LANGSMITH_ENDPOINT: endpoint,
  LANGSMITH_API_KEY: api_key,
  LANGSMITH_WORKSPACE_ID: workspace_id,
} = process.env;

/** A run ends later by as much as this at most. */
const PATIENCE_MS = 5000;

/**
 * Addresses at which feedback on the run's trace can be given without a key, by what the feedback is called. Asked for here,
 * since only the deployment itself has the key that it traces with. Undefined where nobody asked for any, the run is
 * not traced, or they can't be had, which ends no run.
 */
export async function feedbackLinks({
  run_id,
  feedback_keys = [],
}: Pick<RunParams, 'run_id' | 'feedback_keys'>): Promise<Readonly<Record<string, string>> | undefined> {
  if (feedback_keys.length === 0 || tracing !== 'true' || !endpoint || !api_key) return undefined;
  const wanted = [...new Set(feedback_keys)];
  try {
    const answer = await fetch(`${endpoint.replace(/\/$/, '')}/feedback/tokens`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': api_key,
        ...(workspace_id ? { 'x-tenant-id': workspace_id } : {}),
      },
      body: JSON.stringify(wanted.map((feedback_key) => ({ run_id, feedback_key }))),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 500)}`);
    const links = (await answer.json()) as readonly { readonly url: string }[];
    return Object.fromEntries(links.map(({ url }, at) => [wanted[at], url]));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Run ${run_id} ends without links for feedback: ${why}\n`);
    return undefined;
  }
}
