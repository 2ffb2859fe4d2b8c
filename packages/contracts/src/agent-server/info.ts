import { z } from 'zod';
import { endpoint, refusedEndpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

const NO_COMPONENTS =
  'Components of user interfaces (`ui` of langgraph.json) are not built here: bundle them with the page that shows them.';

/** The endpoints by which an agent server describes itself. */
export const infoEndpoints = {
  readOk: endpoint({
    method: 'GET',
    path: '/ok',
    summary:
      'Whether the agent server answers; with `check_db=1`, whether its database and its graph hosts work',
    auth: 'public',
    query: z.object({ check_db: z.enum(['0', '1', 'false', 'true']).optional() }),
    success: {
      status: 200,
      body: z.object({
        ok: z.literal(true),
        services: z.record(WellFormedText, z.enum(['ok', 'failing'])).optional(),
      }),
    },
    example: { query: { check_db: '1' } },
  }),
  readInfo: endpoint({
    method: 'GET',
    path: '/info',
    summary: 'Versions and what is served',
    auth: 'public',
    success: {
      status: 200,
      body: z.object({
        version: WellFormedText,
        compatible_with: WellFormedText,
        /** The versions of the project's own LangGraph, in each language that it has graphs in. */
        langgraph_js_version: WellFormedText.nullable(),
        langgraph_py_version: WellFormedText.optional(),
        /** The language of its first graph. */
        context: z.enum(['js', 'python']),
        flags: z.record(WellFormedText, z.boolean()),
        metadata: z.record(WellFormedText, WellFormedText),
        revision_id: WellFormedText.nullable(),
      }),
    },
  }),
  readMetrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures of this deployment, in the text format of Prometheus or as JSON',
    access: 'agents:invoke',
    query: z.object({ format: z.enum(['prometheus', 'json']).default('prometheus') }),
    success: { status: 200, media_types: ['text/plain', 'application/json'] },
    example: { query: { format: 'json' } },
  }),
  readOpenapi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API in OpenAPI 3.1, as far as the deployment serves it',
    auth: 'public',
    success: { status: 200, body: z.record(z.string(), z.unknown()) },
  }),
  readDocs: endpoint({
    method: 'GET',
    path: '/docs',
    summary: 'The same for people',
    auth: 'public',
    success: { status: 200, media_types: ['text/html'] },
  }),
  showComponents: refusedEndpoint('POST /ui/{assistant_id}', {
    summary: 'Where the components of a graph’s user interface are',
    access: 'agents:invoke',
    because: NO_COMPONENTS,
  }),
  readComponents: refusedEndpoint('GET /ui/{assistant_id}/{file}', {
    summary: 'A file of the components of a graph’s user interface',
    access: 'agents:invoke',
    because: NO_COMPONENTS,
  }),
};
