import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const platform = {
  readReady: endpoint({
    method: 'GET',
    path: '/ok',
    summary:
      'Ready: databases are migrated and, of `roadstead up`, the listener’s lease is held; what else is wrong are warnings',
    auth: 'public',
    success: { status: 200, body: z.object({ ok: z.literal(true), warnings: z.array(WellFormedText) }) },
  }),
  readOpenapi: endpoint({
    method: 'GET',
    path: '/openapi/{document}',
    summary: 'OpenAPI 3.1 description of a service, `{service}.json`',
    auth: 'public',
    params: z.object({ document: WellFormedText.max(100) }),
    success: { status: 200, media_types: ['application/json'] },
  }),
  readMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Counters in the Prometheus text format',
    access: 'metrics:read',
    workspace: 'any',
    dialect: 'text',
    success: { status: 200, media_types: ['text/plain'] },
  }),
};
export type PlatformContract = typeof platform;
