import { readFile } from 'node:fs/promises';
import { platform as platformContract } from '@roadstead/contracts/platform';
import { services } from '@roadstead/contracts/services';
import { serve, type RequestHandler, type Verifier } from '@roadstead/http';
import { type Log, Problem } from '@roadstead/kit';
import type { Health } from '@roadstead/service';

interface PlatformRoutesOptions {
  readonly health: () => Promise<Health>;
  readonly metrics: () => string;
  readonly verify: Verifier;
  readonly log: Log;
}

const DOCUMENTS = Object.keys(services).map((name) => `${name}.json`);
/** `npm run docs` writes them from the contracts: to do so at each start would take half a second of it. */
const WRITTEN_DOCUMENTS = new URL('../../../../docs/openapi/', import.meta.url);

/** The platform's own endpoints: readiness, the list of services, and counters. */
export function servePlatform({ health, metrics, verify, log }: PlatformRoutesOptions): RequestHandler {
  return serve(
    platformContract,
    {
      readReady: async () => {
        const { ready, warnings } = await health();
        if (!ready)
          throw new Problem('unavailable', 'The data plane has not taken its lease yet.', {
            retry_after_s: 1,
          });
        return { ok: true, warnings: [...warnings] };
      },
      readOpenapi: async ({ params }) => {
        if (!DOCUMENTS.includes(params.document))
          throw new Problem(
            'not_found',
            `There are: ${DOCUMENTS.map((name) => `/openapi/${name}`).join(', ')}.`,
          );
        return new Response(await readFile(new URL(params.document, WRITTEN_DOCUMENTS)), {
          headers: { 'content-type': 'application/json' },
        });
      },
      readMetrics: async () =>
        new Response(metrics(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),
    },
    { service: 'platform', verify, log },
  );
}
