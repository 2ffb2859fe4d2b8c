import { importAsUser } from '../modules/user-modules.ts';

/** The little of `@opentelemetry/api` that is used here; it is the user's copy, by shape. */
interface OpenTelemetry {
  readonly context: { with<T>(context: unknown, work: () => T): T };
  readonly propagation: { extract(context: unknown, carrier: object): unknown };
  readonly ROOT_CONTEXT: unknown;
}

/**
 * Does the work within the trace of the call that asked for it, where the project traces with OpenTelemetry: its spans, and
 * the requests that it makes, continue that trace.
 * @param from a file of the project's packages.
 */
export async function withinTrace<T>(
  { traceparent, from }: { readonly traceparent: string | undefined; readonly from: string },
  work: () => Promise<T>,
): Promise<T> {
  if (traceparent === undefined) return work();
  const api = await importAsUser<OpenTelemetry>('@opentelemetry/api', from).catch(() => undefined);
  if (api === undefined) return work();
  const { context, propagation, ROOT_CONTEXT } = api;
  return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work);
}
