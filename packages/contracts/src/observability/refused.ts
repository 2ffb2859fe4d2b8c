import { type Method, refusedEndpoint } from '../endpoints/endpoint.ts';
import { platform, v1, v2 } from './mounts.ts';

/**
 * Endpoints that LangSmith serves and this service never will: each answers 501 with its reason, so that nobody takes
 * it for a wrong address.
 */

type Address = `${Method} /${string}`;
type Refusal = Parameters<typeof refusedEndpoint>[1] & { readonly addresses: readonly Address[] };

const refusals: readonly Refusal[] = [
  {
    because:
      'Runs are not exported to buckets here: POST /v2/runs/query and GET /datasets/{dataset_id}/jsonl read all that is kept.',
    summary: 'Exports of runs to buckets',
    ...v1,
    access: 'traces:read',
    addresses: [
      'GET /bulk-exports',
      'POST /bulk-exports',
      'GET /bulk-exports/{bulk_export_id}',
      'PATCH /bulk-exports/{bulk_export_id}',
      'GET /bulk-exports/{bulk_export_id}/runs',
      'GET /bulk-exports/{bulk_export_id}/runs/{run_id}',
      'GET /bulk-exports/runs',
      'GET /bulk-exports/destinations',
      'POST /bulk-exports/destinations',
      'GET /bulk-exports/destinations/{destination_id}',
      'PATCH /bulk-exports/destinations/{destination_id}',
    ],
  },
  {
    because:
      'Charts are not kept here: POST /v2/series/query answers their lines, POST /runs/stats and GET /sessions with include_stats their sums.',
    summary: 'Charts of a workspace',
    ...v1,
    access: 'traces:read',
    addresses: [
      'POST /charts',
      'POST /charts/create',
      'POST /charts/preview',
      'POST /charts/{chart_id}',
      'PATCH /charts/{chart_id}',
      'DELETE /charts/{chart_id}',
      'GET /charts/section',
      'POST /charts/section',
      'POST /charts/section/clone',
      'POST /charts/section/{section_id}',
      'PATCH /charts/section/{section_id}',
      'DELETE /charts/section/{section_id}',
      'POST /sessions/{session_id}/dashboard',
    ],
  },
  {
    because:
      'Evaluators that call a model are not run here: write feedback from your own code, or use rules at /runs/rules.',
    summary: 'Evaluators that call a model',
    ...platform,
    access: 'traces:admin',
    addresses: [
      'GET /platform/evaluators',
      'POST /platform/evaluators',
      'DELETE /platform/evaluators',
      'GET /platform/evaluators/spend',
      'GET /platform/evaluators/{evaluator_id}',
      'PATCH /platform/evaluators/{evaluator_id}',
      'DELETE /platform/evaluators/{evaluator_id}',
    ],
  },
  {
    because: 'Insights need a model of the operator’s, which is not called here.',
    summary: 'Insights into a tracing project',
    ...v1,
    access: 'traces:read',
    addresses: [
      'GET /sessions/{session_id}/insights',
      'POST /sessions/{session_id}/insights',
      'GET /sessions/{session_id}/insights/{job_id}',
      'PATCH /sessions/{session_id}/insights/{job_id}',
      'DELETE /sessions/{session_id}/insights/{job_id}',
      'GET /sessions/{session_id}/insights/{job_id}/runs',
    ],
  },
  {
    because:
      'Rules act of themselves, once on each run that ends after they are made, and never again on request.',
    summary: 'Apply rules on request',
    ...v1,
    access: 'traces:admin',
    addresses: ['POST /runs/rules/{rule_id}/trigger', 'POST /runs/rules/trigger'],
  },
  {
    because: 'Rules are listed at GET /runs/rules, all of them at once.',
    summary: 'List rules page by page',
    ...v2,
    access: 'traces:read',
    addresses: ['GET /v2/runs/rules'],
  },
  {
    because: 'Rules call no model: what they act on is said by their filter.',
    summary: 'Models that decide for rules',
    ...v1,
    access: 'traces:admin',
    addresses: ['POST /runs/rules/decision-models'],
  },
  {
    because:
      'Rules are checked when they are made or changed, by POST /runs/rules and PATCH /runs/rules/{rule_id}.',
    summary: 'Check a rule without making it',
    ...v1,
    access: 'traces:admin',
    addresses: ['POST /runs/rules/validate'],
  },
  {
    because: 'What rules did is listed at GET /runs/rules/{rule_id}/logs, the latest first.',
    summary: 'What a rule did last',
    ...v1,
    access: 'traces:read',
    addresses: ['GET /runs/rules/{rule_id}/logs/v2', 'GET /runs/rules/{rule_id}/last_applied'],
  },
  {
    because: 'Issues are found by a model, which is not called here.',
    summary: 'Issues found in traces',
    ...platform,
    access: 'traces:read',
    addresses: ['GET /platform/issues', 'GET /platform/issues/{issue_id}'],
  },
  {
    because: 'Sandboxes are not offered here: deploy an agent instead.',
    summary: 'Sandboxes',
    ...v2,
    access: 'deployments:write',
    addresses: [
      'GET /v2/sandboxes/boxes',
      'POST /v2/sandboxes/boxes',
      'GET /v2/sandboxes/boxes/{name}',
      'PATCH /v2/sandboxes/boxes/{name}',
      'DELETE /v2/sandboxes/boxes/{name}',
      'GET /v2/sandboxes/boxes/{name}/status',
      'POST /v2/sandboxes/boxes/{name}/start',
      'POST /v2/sandboxes/boxes/{name}/stop',
      'POST /v2/sandboxes/boxes/{name}/snapshot',
      'POST /v2/sandboxes/boxes/{name}/download-url',
      'POST /v2/sandboxes/boxes/{name}/service-url',
      'GET /v2/sandboxes/boxes/{name}/service-urls',
      'DELETE /v2/sandboxes/boxes/{name}/service-urls',
      'GET /v2/sandboxes/snapshots',
      'POST /v2/sandboxes/snapshots',
      'GET /v2/sandboxes/snapshots/{snapshot_id}',
      'DELETE /v2/sandboxes/snapshots/{snapshot_id}',
      'GET /v2/sandboxes/snapshots-by-name/{name}',
      'GET /v2/sandboxes/registries',
      'POST /v2/sandboxes/registries',
      'GET /v2/sandboxes/registries/{name}',
      'PATCH /v2/sandboxes/registries/{name}',
      'DELETE /v2/sandboxes/registries/{name}',
      'POST /v2/sandboxes/boxes/batch-delete',
      'GET /v2/sandboxes/volumes',
      'POST /v2/sandboxes/volumes',
      'GET /v2/sandboxes/volumes/{name}',
      'PATCH /v2/sandboxes/volumes/{name}',
      'DELETE /v2/sandboxes/volumes/{name}',
      'POST /v2/sandboxes/volumes/{name}/clone',
      'GET /v2/sandboxes/usage',
      'GET /v2/sandboxes/usage/costs',
      'POST /v1/fleet/threads/{thread_id}/sandbox-activation',
    ],
  },
  {
    because:
      'Resources are not tagged here: runs and examples have tags, splits and metadata of their own, by which they are found.',
    summary: 'Tags of resources',
    ...v1,
    access: 'traces:read',
    addresses: [
      'GET /workspaces/current/tag-keys',
      'POST /workspaces/current/tag-keys',
      'GET /workspaces/current/tag-keys/{tag_key_id}',
      'PATCH /workspaces/current/tag-keys/{tag_key_id}',
      'DELETE /workspaces/current/tag-keys/{tag_key_id}',
      'GET /workspaces/current/tag-keys/{tag_key_id}/tag-values',
      'POST /workspaces/current/tag-keys/{tag_key_id}/tag-values',
      'GET /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      'PATCH /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      'DELETE /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      'GET /workspaces/current/tags',
    ],
  },
  {
    because:
      'Where reviewers disagree no answer is final here: write feedback of your own under the key of the rubric.',
    summary: 'Final answers of reviewers',
    ...platform,
    access: 'traces:write',
    addresses: [
      'PUT /platform/annotation-queues/{queue_id}/items/{item_id}/finals/{key}',
      'DELETE /platform/annotation-queues/{queue_id}/items/{item_id}/finals/{key}',
    ],
  },
  {
    because:
      'Examples are not searched by likeness here, which needs a model: GET /examples finds them by a filter over their metadata.',
    summary: 'Search examples by likeness',
    ...v1,
    access: 'datasets:read',
    addresses: ['POST /datasets/{dataset_id}/index', 'POST /datasets/{dataset_id}/search'],
  },
  {
    because:
      'Traces are not asked in SQL here: POST /v2/runs/query takes filters, and POST /runs/stats sums up what they find.',
    summary: 'Ask traces in SQL',
    ...v2,
    access: 'traces:read',
    addresses: ['POST /v2/sql/query'],
  },
  {
    because:
      'Searching in natural language needs a model, which is not called here: write the filter yourself.',
    summary: 'Turn natural language into a filter',
    ...v2,
    access: 'traces:read',
    addresses: ['POST /v2/ai-search/parse'],
  },
  {
    because:
      'Changes of prompts are not reported to webhooks here: GET /commits/{owner}/{repo} lists the newest versions first.',
    summary: 'Webhooks for prompts',
    ...v1,
    access: 'prompts:admin',
    addresses: [
      'GET /prompt-webhooks',
      'POST /prompt-webhooks',
      'POST /prompt-webhooks/test',
      'GET /prompt-webhooks/{webhook_id}',
      'PATCH /prompt-webhooks/{webhook_id}',
      'DELETE /prompt-webhooks/{webhook_id}',
    ],
  },
  {
    because: 'Feedback on the product is not collected here.',
    summary: 'Feedback on the product',
    ...platform,
    access: 'traces:read',
    addresses: ['POST /platform/product-feedbacks', 'GET /platform/product-feedbacks/{feedback_id}'],
  },
];

/** The refused operations, by the names that `operationOf` derives. No type has them: no code of ours calls what is refused. */
export const refused: object = Object.fromEntries(
  refusals.flatMap(({ addresses, ...refusal }) =>
    addresses.map((address) => [operationOf(address), refusedEndpoint(address, refusal)]),
  ),
);

/** `GET /bulk-exports/{id}/runs` is `getBulkExportsByIdRuns`. */
function operationOf(address: Address): string {
  const [method = '', path = ''] = address.split(' ');
  const words = path.replaceAll('{', 'by-').match(/[a-z0-9]+/gi) ?? [];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
