import { type Contract, openapiOf } from '@roadstead/contracts';
import { platform as platformContract } from '@roadstead/contracts/platform';
import { services } from '@roadstead/contracts/services';
import { serve, type RequestHandler, type Verifier } from '@roadstead/http';
import { type Log, Problem } from '@roadstead/kit';

interface PlatformRoutesOptions {
  readonly ready: () => Promise<boolean>;
  readonly warnings: () => Promise<string[]>;
  readonly metrics: () => string;
  readonly verify: Verifier;
  readonly log: Log;
}

/** The platform's own endpoints: readiness, the list of services, and counters. */
export function servePlatform({
  ready,
  warnings,
  metrics,
  verify,
  log,
}: PlatformRoutesOptions): RequestHandler {
  const documents = new Map(
    Object.entries<Contract>(services).map(([name, contract]) => [`${name}.json`, openapiOf(name, contract)]),
  );
  return serve(
    platformContract,
    {
      readReady: async () => {
        if (!(await ready()))
          throw new Problem('unavailable', 'The data plane has not taken its lease yet.', {
            retry_after_s: 1,
          });
        return { ok: true, warnings: await warnings() };
      },
      readOpenapi: async ({ params }) => {
        const document = documents.get(params.document);
        if (document === undefined)
          throw new Problem(
            'not_found',
            `There are: ${[...documents.keys()].map((name) => `/openapi/${name}`).join(', ')}.`,
          );
        return Response.json(document);
      },
      readMetrics: async () =>
        new Response(metrics(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),
    },
    { service: 'platform', verify, log },
  );
}
