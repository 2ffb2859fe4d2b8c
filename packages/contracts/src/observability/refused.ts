import { type Method, refusedEndpoint } from '../endpoints/endpoint.ts';
import { platform, v1, v2 } from './mounts.ts';

/**
 * Endpoints that LangSmith serves and this service never will: each answers 501 with its reason, so that nobody takes
 * it for a wrong address.
 */

type Addresses = Readonly<Record<string, `${Method} /${string}`>>;
type RefusalOptions = Omit<Parameters<typeof refusedEndpoint>[1], 'summary'> & { readonly because: string };

const all = <A extends Addresses>(addresses: A, said: RefusalOptions, summary: string) =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [
      name,
      refusedEndpoint(address, { ...said, summary } as never),
    ]),
  ) as { readonly [Name in keyof A]: ReturnType<typeof refusedEndpoint> };

const BULK_EXPORTS =
  'Runs are not exported to buckets here: POST /v2/runs/query and GET /datasets/{dataset_id}/jsonl read all that is kept.';
const CHARTS =
  'Charts are not kept here: POST /runs/stats and GET /sessions with include_stats answer the numbers that they show.';
const EVALUATORS =
  'Evaluators that call a model are not run here: write feedback from your own code, or use rules at /runs/rules.';
const INSIGHTS = 'Insights need a model of the operator’s, which is not called here.';
const ISSUES = 'Issues are found by a model, which is not called here.';
const RULE_TRIGGERS =
  'Rules act of themselves, once on each run that ends after they are made, and never again on request.';
const RULE_CHECKS =
  'Rules are checked when they are made or changed, by POST /runs/rules and PATCH /runs/rules/{rule_id}.';
const RULE_LOGS = 'What rules did is listed at GET /runs/rules/{rule_id}/logs, the latest first.';
const RULE_PAGES = 'Rules are listed at GET /runs/rules, all of them at once.';
const DECISION_MODELS = 'Rules call no model: what they act on is said by their filter.';
const SANDBOXES = 'Sandboxes are not offered here: deploy an agent instead.';
const TAGS =
  'Resources are not tagged here: runs and examples have tags, splits and metadata of their own, by which they are found.';
const FINALS =
  'Where reviewers disagree no answer is final here: write feedback of your own under the key of the rubric.';
const SIMILAR =
  'Examples are not searched by likeness here, which needs a model: GET /examples finds them by a filter over their metadata.';
const SQL =
  'Traces are not asked in SQL here: POST /v2/runs/query takes filters, and POST /runs/stats sums up what they find.';
const AI_SEARCH =
  'Searching in natural language needs a model, which is not called here: write the filter yourself.';
const PROMPT_WEBHOOKS =
  'Changes of prompts are not reported to webhooks here: GET /commits/{owner}/{repo} lists the newest versions first.';
const PRODUCT_FEEDBACK = 'Feedback on the product is not collected here.';

export const refused = {
  ...all(
    {
      listBulkExports: 'GET /bulk-exports',
      createBulkExport: 'POST /bulk-exports',
      readBulkExport: 'GET /bulk-exports/{bulk_export_id}',
      patchBulkExport: 'PATCH /bulk-exports/{bulk_export_id}',
      listBulkExportRuns: 'GET /bulk-exports/{bulk_export_id}/runs',
      readBulkExportRun: 'GET /bulk-exports/{bulk_export_id}/runs/{run_id}',
      listRunsOfBulkExports: 'GET /bulk-exports/runs',
      listBulkExportDestinations: 'GET /bulk-exports/destinations',
      createBulkExportDestination: 'POST /bulk-exports/destinations',
      readBulkExportDestination: 'GET /bulk-exports/destinations/{destination_id}',
      patchBulkExportDestination: 'PATCH /bulk-exports/destinations/{destination_id}',
    },
    { ...v1, access: 'traces:read', because: BULK_EXPORTS },
    'Exports of runs to buckets',
  ),
  ...all(
    {
      readCharts: 'POST /charts',
      createChart: 'POST /charts/create',
      previewChart: 'POST /charts/preview',
      readChart: 'POST /charts/{chart_id}',
      patchChart: 'PATCH /charts/{chart_id}',
      deleteChart: 'DELETE /charts/{chart_id}',
      listChartSections: 'GET /charts/section',
      createChartSection: 'POST /charts/section',
      cloneChartSection: 'POST /charts/section/clone',
      readChartSection: 'POST /charts/section/{section_id}',
      patchChartSection: 'PATCH /charts/section/{section_id}',
      deleteChartSection: 'DELETE /charts/section/{section_id}',
      readDashboard: 'POST /sessions/{session_id}/dashboard',
    },
    { ...v1, access: 'traces:read', because: CHARTS },
    'Charts of a workspace',
  ),
  ...all(
    {
      listEvaluators: 'GET /platform/evaluators',
      createEvaluator: 'POST /platform/evaluators',
      deleteEvaluators: 'DELETE /platform/evaluators',
      readEvaluatorSpend: 'GET /platform/evaluators/spend',
      readEvaluator: 'GET /platform/evaluators/{evaluator_id}',
      patchEvaluator: 'PATCH /platform/evaluators/{evaluator_id}',
      deleteEvaluator: 'DELETE /platform/evaluators/{evaluator_id}',
    },
    { ...platform, access: 'traces:admin', because: EVALUATORS },
    'Evaluators that call a model',
  ),
  ...all(
    {
      listInsights: 'GET /sessions/{session_id}/insights',
      createInsights: 'POST /sessions/{session_id}/insights',
      readInsights: 'GET /sessions/{session_id}/insights/{job_id}',
      patchInsights: 'PATCH /sessions/{session_id}/insights/{job_id}',
      deleteInsights: 'DELETE /sessions/{session_id}/insights/{job_id}',
      listInsightsRuns: 'GET /sessions/{session_id}/insights/{job_id}/runs',
    },
    { ...v1, access: 'traces:read', because: INSIGHTS },
    'Insights into a tracing project',
  ),
  ...all(
    { triggerRule: 'POST /runs/rules/{rule_id}/trigger', triggerRules: 'POST /runs/rules/trigger' },
    { ...v1, access: 'traces:admin', because: RULE_TRIGGERS },
    'Apply rules on request',
  ),
  ...all(
    { listRulesByCursor: 'GET /v2/runs/rules' },
    { ...v2, access: 'traces:read', because: RULE_PAGES },
    'List rules page by page',
  ),
  ...all(
    { proposeDecisionModels: 'POST /runs/rules/decision-models' },
    { ...v1, access: 'traces:admin', because: DECISION_MODELS },
    'Models that decide for rules',
  ),
  ...all(
    { validateRule: 'POST /runs/rules/validate' },
    { ...v1, access: 'traces:admin', because: RULE_CHECKS },
    'Check a rule without making it',
  ),
  ...all(
    {
      listRuleLogsByCursor: 'GET /runs/rules/{rule_id}/logs/v2',
      readRuleLastApplied: 'GET /runs/rules/{rule_id}/last_applied',
    },
    { ...v1, access: 'traces:read', because: RULE_LOGS },
    'What a rule did last',
  ),
  ...all(
    { listIssues: 'GET /platform/issues', readIssue: 'GET /platform/issues/{issue_id}' },
    { ...platform, access: 'traces:read', because: ISSUES },
    'Issues found in traces',
  ),
  ...all(
    {
      listSandboxes: 'GET /v2/sandboxes/boxes',
      createSandbox: 'POST /v2/sandboxes/boxes',
      readSandbox: 'GET /v2/sandboxes/boxes/{name}',
      patchSandbox: 'PATCH /v2/sandboxes/boxes/{name}',
      deleteSandbox: 'DELETE /v2/sandboxes/boxes/{name}',
      readSandboxStatus: 'GET /v2/sandboxes/boxes/{name}/status',
      startSandbox: 'POST /v2/sandboxes/boxes/{name}/start',
      stopSandbox: 'POST /v2/sandboxes/boxes/{name}/stop',
      snapshotSandbox: 'POST /v2/sandboxes/boxes/{name}/snapshot',
      createSandboxDownload: 'POST /v2/sandboxes/boxes/{name}/download-url',
      createSandboxService: 'POST /v2/sandboxes/boxes/{name}/service-url',
      listSandboxServices: 'GET /v2/sandboxes/boxes/{name}/service-urls',
      deleteSandboxServices: 'DELETE /v2/sandboxes/boxes/{name}/service-urls',
      listSandboxSnapshots: 'GET /v2/sandboxes/snapshots',
      createSandboxSnapshot: 'POST /v2/sandboxes/snapshots',
      readSandboxSnapshot: 'GET /v2/sandboxes/snapshots/{snapshot_id}',
      deleteSandboxSnapshot: 'DELETE /v2/sandboxes/snapshots/{snapshot_id}',
      findSandboxSnapshot: 'GET /v2/sandboxes/snapshots-by-name/{name}',
      listSandboxRegistries: 'GET /v2/sandboxes/registries',
      createSandboxRegistry: 'POST /v2/sandboxes/registries',
      readSandboxRegistry: 'GET /v2/sandboxes/registries/{name}',
      patchSandboxRegistry: 'PATCH /v2/sandboxes/registries/{name}',
      deleteSandboxRegistry: 'DELETE /v2/sandboxes/registries/{name}',
      deleteSandboxes: 'POST /v2/sandboxes/boxes/batch-delete',
      listSandboxVolumes: 'GET /v2/sandboxes/volumes',
      createSandboxVolume: 'POST /v2/sandboxes/volumes',
      readSandboxVolume: 'GET /v2/sandboxes/volumes/{name}',
      patchSandboxVolume: 'PATCH /v2/sandboxes/volumes/{name}',
      deleteSandboxVolume: 'DELETE /v2/sandboxes/volumes/{name}',
      cloneSandboxVolume: 'POST /v2/sandboxes/volumes/{name}/clone',
      readSandboxUsage: 'GET /v2/sandboxes/usage',
      readSandboxCosts: 'GET /v2/sandboxes/usage/costs',
      activateThreadSandbox: 'POST /v1/fleet/threads/{thread_id}/sandbox-activation',
    },
    { ...v2, access: 'deployments:write', because: SANDBOXES },
    'Sandboxes',
  ),
  ...all(
    {
      listTagKeys: 'GET /workspaces/current/tag-keys',
      createTagKey: 'POST /workspaces/current/tag-keys',
      readTagKey: 'GET /workspaces/current/tag-keys/{tag_key_id}',
      patchTagKey: 'PATCH /workspaces/current/tag-keys/{tag_key_id}',
      deleteTagKey: 'DELETE /workspaces/current/tag-keys/{tag_key_id}',
      listTagValues: 'GET /workspaces/current/tag-keys/{tag_key_id}/tag-values',
      createTagValue: 'POST /workspaces/current/tag-keys/{tag_key_id}/tag-values',
      readTagValue: 'GET /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      patchTagValue: 'PATCH /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      deleteTagValue: 'DELETE /workspaces/current/tag-keys/{tag_key_id}/tag-values/{tag_value_id}',
      listTags: 'GET /workspaces/current/tags',
    },
    { ...v1, access: 'traces:read', because: TAGS },
    'Tags of resources',
  ),
  ...all(
    {
      putItemFinal: 'PUT /platform/annotation-queues/{queue_id}/items/{item_id}/finals/{key}',
      deleteItemFinal: 'DELETE /platform/annotation-queues/{queue_id}/items/{item_id}/finals/{key}',
    },
    { ...platform, access: 'traces:write', because: FINALS },
    'Final answers of reviewers',
  ),
  ...all(
    {
      indexDataset: 'POST /datasets/{dataset_id}/index',
      searchDataset: 'POST /datasets/{dataset_id}/search',
    },
    { ...v1, access: 'datasets:read', because: SIMILAR },
    'Search examples by likeness',
  ),
  ...all(
    { queryBySql: 'POST /v2/sql/query' },
    { ...v2, access: 'traces:read', because: SQL },
    'Ask traces in SQL',
  ),
  ...all(
    { parseSearch: 'POST /v2/ai-search/parse' },
    { ...v2, access: 'traces:read', because: AI_SEARCH },
    'Turn natural language into a filter',
  ),
  ...all(
    {
      listPromptWebhooks: 'GET /prompt-webhooks',
      createPromptWebhook: 'POST /prompt-webhooks',
      testPromptWebhook: 'POST /prompt-webhooks/test',
      readPromptWebhook: 'GET /prompt-webhooks/{webhook_id}',
      patchPromptWebhook: 'PATCH /prompt-webhooks/{webhook_id}',
      deletePromptWebhook: 'DELETE /prompt-webhooks/{webhook_id}',
    },
    { ...v1, access: 'prompts:admin', because: PROMPT_WEBHOOKS },
    'Webhooks for prompts',
  ),
  ...all(
    {
      createProductFeedback: 'POST /platform/product-feedbacks',
      readProductFeedback: 'GET /platform/product-feedbacks/{feedback_id}',
    },
    { ...platform, access: 'traces:read', because: PRODUCT_FEEDBACK },
    'Feedback on the product',
  ),
};
