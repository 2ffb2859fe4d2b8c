import { observability } from '@roadstead/contracts/observability';
import { type Handlers, type RequestHandler, serve, type ServeOptions, type Verifier } from '@roadstead/http';
import type { Blobs } from '@roadstead/blobs';
import { type Clock, type Log, type SecretBox, systemClock } from '@roadstead/kit';
import { type Database, migrate, isReachable } from '@roadstead/postgres';
import type { CheckingFetch, GuardedFetch, Mailer } from '@roadstead/outbound';
import { createAttachmentAddresses } from './attachments/attachment-addresses.ts';
import { openAlerts } from './alerts/alerts.ts';
import { agentHandlers } from './agents/agents-routes.ts';
import { attachmentHandlers } from './attachments/attachments-routes.ts';
import { blobLoop } from './attachments/blob-loop.ts';
import { comparisonHandlers } from './comparisons/comparisons-routes.ts';
import { experimentGroupHandlers } from './experiments/experiment-groups-routes.ts';
import { experimentUploadHandlers } from './experiments/experiment-uploads-routes.ts';
import { experimentHandlers } from './experiments/experiments-routes.ts';
import { feedbackConfigHandlers } from './feedback/feedback-configs-routes.ts';
import { feedbackFormulaHandlers } from './feedback/feedback-formulas-routes.ts';
import { feedbackPlacingLoop } from './feedback/feedback-placing-loop.ts';
import { DELETIONS, deletionLoop } from './deletions/deletion-loop.ts';
import { deletionHandlers } from './deletions/deletions-routes.ts';
import { accountHandlers } from './account/account-handlers.ts';
import type { WorkspacesOf } from './workspaces/workspaces.ts';
import { feedbackHandlers } from './feedback/feedback-routes.ts';
import { feedbackTokenHandlers } from './feedback/feedback-tokens-routes.ts';
import { openDatasets } from './datasets/open-datasets.ts';
import { erasureHandlers } from './erasure/erasure-routes.ts';
import { createDiskGuard, folderMeasure } from './info/disk-guard.ts';
import { infoHandlers } from './info/info-routes.ts';
import { type Ingestion, openIngestion } from './ingestion/ingestion.ts';
import type { IngestionWork } from './ingestion/ingestion-messages.ts';
import { IngestionThread } from './ingestion/ingestion-thread.ts';
import { createIntake } from './ingestion/intake.ts';
import { ingestHandlers } from './ingestion/ingest-routes.ts';
import { migrations } from './migrations/index.ts';
import { ensurePartition } from './partitions/partition-store.ts';
import { otlpHandlers } from './ingestion/otlp-routes.ts';
import { RETENTION, retentionLoop } from './deletions/retention-loop.ts';
import { type Allowance, createUsageGate } from './usage/usage-gate.ts';
import { priceApplicationLoop } from './prices/price-application-loop.ts';
import { PriceBook } from './prices/price-book.ts';
import { priceHandlers } from './prices/prices-routes.ts';
import { partitionsAhead } from './partitions/week-rules.ts';
import { runGroupHandlers } from './statistics/run-groups-routes.ts';
import { runStatsHandlers } from './statistics/run-stats-routes.ts';
import type { RunReader } from './reading/run-reader-work.ts';
import { openPlayground } from './playground/open-playground.ts';
import { hubHandlers } from './prompts/hub-handlers.ts';
import { queueEntryHandlers } from './queues/annotation-queue-entries-routes.ts';
import { queueReviewerHandlers } from './queues/annotation-queue-reviewers-routes.ts';
import { queueItemHandlers } from './queues/annotation-queue-items-routes.ts';
import { queueHandlers } from './queues/annotation-queues-routes.ts';
import { queueRunHandlers } from './queues/annotation-queue-runs-routes.ts';
import { EXTENSIONS, extensionLoop } from './retention/extension-loop.ts';
import { orphanLoop } from './writing/orphan-loop.ts';
import { decideByFeedback } from './rules/rule-decision-work.ts';
import { openOutgoing } from './outgoing.ts';
import { openRules } from './rules/rules.ts';
import { runHandlers } from './runs/runs-routes.ts';
import { runV2Handlers } from './runs/runs-v2-routes.ts';
import { seriesHandlers } from './series/series-routes.ts';
import { sessionKey, sessionRemovalLoop } from './sessions/session-removal-loop.ts';
import type { SessionContext } from './sessions/session-context.ts';
import { sessionHandlers } from './sessions/sessions-routes.ts';
import { sessionV2Handlers } from './sessions/sessions-v2-routes.ts';
import { rewriteShareUrls } from './shares/share-url-rewrite.ts';
import { shareHandlers } from './runs/shares-routes.ts';
import { sharedRunHandlers } from './runs/shared-runs-routes.ts';
import { isShared, type SharingContext } from './shares/share-work.ts';
import { threadHandlers } from './threads/threads-routes.ts';

/** Absent limits mean unlimited usage. */
export interface ObservabilityOptions extends Allowance {
  /** A database of its own. */
  readonly db: Database;
  readonly verify: Verifier;
  readonly log: Log;
  /** The store of attachments, which nothing else uses, since blobs that no row here names are removed from it. */
  readonly blobs: Blobs;
  /**
   * Accepts and digests traces on a thread of its own, with the clock of the machine; the thread opens the same
   * database and the same store of blobs for itself. By default this thread does everything.
   */
  readonly ingestion_thread?: Pick<IngestionWork, 'database_url' | 'blobs'> | undefined;
  readonly secret_box: SecretBox;
  /** The public address of the origin. */
  readonly public_url: string;
  /** Whether links that need no key may be made and read. */
  readonly public_sharing: boolean;
  readonly workspaces: WorkspacesOf;
  /** Reaches the addresses of users' webhooks. */
  readonly outbound: GuardedFetch;
  /** Reaches providers of models, and streams what they answer. */
  readonly model_fetch: CheckingFetch;
  /** Sends mail; absent where the operator named no mail server. */
  readonly mailer?: Mailer | undefined;
  /** The folder on whose disk the traces lie; absent when they lie on another machine. */
  readonly data_folder?: string | undefined;
  readonly clock?: Clock;
  /** Measures the free share of the disk in percent, instead of the folder. */
  readonly free_disk?: (() => Promise<number>) | undefined;
  readonly check_answers?: boolean;
  readonly onAnswer?: ServeOptions['onAnswer'];
}

export interface ObservabilityService extends AsyncDisposable {
  readonly served: RequestHandler;
  /** Whether traces can be stored and read. */
  ready(): Promise<boolean>;
  /** Warnings for the operator, in sentences. */
  warnings(): Promise<string[]>;
}

export const TRACES_SCHEMA = 'traces';

/** Brings the schema up to date, for programs that start later. */
export const migrateTraces = (db: Database): Promise<void> =>
  migrate(db, { schema: TRACES_SCHEMA, migrations });

/** Migrates the database and starts to serve. Disposing waits for running writes. */
// oxlint-disable-next-line max-lines-per-function -- a composition root reads best in one piece
export async function startObservability(options: ObservabilityOptions): Promise<ObservabilityService> {
  const { db, log, blobs, clock = systemClock } = options;
  await migrateTraces(db);
  for (const key of partitionsAhead(clock.now())) await ensurePartition(db, key);
  const ingestion = beginIngestion({ ...options, clock });
  const book = new PriceBook(db, clock);
  const orphans = orphanLoop(db, log).start();
  const repricing = priceApplicationLoop({ db, book, log }).start();
  const gate = createUsageGate({ db, clock, allowance: options });
  const forget = (workspace_id: string) => {
    for (const one of [book, gate, ingestion]) one.forget(workspace_id);
  };
  const retention = retentionLoop(db, clock, log).start();
  const removal = sessionRemovalLoop(db, log).start();
  const unnamed = blobLoop({ db, blobs }, log).start();
  const deletions = deletionLoop({ db, blobs, digest: ingestion, log }).start();
  const addresses = createAttachmentAddresses({ ...options, clock });
  const placing = feedbackPlacingLoop(db, clock, log).start();
  const extension = extensionLoop({
    db,
    clock,
    log,
    moved: (workspace_id) => ingestion.wake(workspace_id),
  }).start();
  const extended = () => extension.wake(EXTENSIONS);
  const disk = createDiskGuard(options.free_disk ?? folderMeasure(options.data_folder), clock);
  const take = createIntake(ingestion, disk);
  const ready = () => isReachable(db);
  const sharing: SharingContext = {
    db,
    secret_box: options.secret_box,
    public_sharing: options.public_sharing,
  };
  const reader: RunReader = { db, digest: ingestion, sharing, addresses };
  const datasets = openDatasets({ db, blobs, clock, log, reader });
  const links = { public_url: options.public_url };
  const sessions: SessionContext = {
    db,
    clock,
    digest: ingestion,
    removed: (workspace_id, id) => removal.wake(sessionKey({ workspace_id, id })),
  };
  const outbox = openOutgoing({ ...options, mailer: options.mailer });
  const rules = openRules({ ...options, clock, outbox, examples: datasets.context, reader });
  const sends_mail = options.mailer !== undefined;
  const alerts = openAlerts({ ...options, clock, outbox, searching: reader, sends_mail });
  const playground = openPlayground({
    ...options,
    clock,
    trace: async ({ workspace_id, bytes }) => {
      await disk.requireSpace();
      return ingestion.take({ dialect: 'batch', workspace_id, bytes });
    },
  });
  const handlers: Handlers<typeof observability> = {
    ...ingestHandlers(take),
    ...otlpHandlers(take),
    ...infoHandlers({ disk, ready }),
    ...attachmentHandlers({ ...links, blobs, addresses, isShared: (token) => isShared(sharing, token) }),
    ...priceHandlers({
      db,
      changed: forget,
      requested: (workspace_id) => repricing.wake(workspace_id),
    }),
    ...runHandlers(reader, clock),
    ...runStatsHandlers(reader),
    ...runGroupHandlers(reader),
    ...seriesHandlers(reader, clock),
    ...runV2Handlers(reader, clock, links),
    ...shareHandlers(reader, clock),
    ...sharedRunHandlers(reader, clock, links),
    ...erasureHandlers({ db, blobs }),
    ...deletionHandlers({ db, digest: ingestion, marked: () => deletions.wake(DELETIONS) }),
    ...threadHandlers(reader, clock),
    ...agentHandlers(db, clock),
    ...hubHandlers(options),
    ...playground.handlers,
    ...feedbackHandlers({ ...options, clock, extended, onFeedback: decideByFeedback }),
    ...queueHandlers({ ...options, clock }),
    ...queueReviewerHandlers({ ...options, clock }),
    ...queueRunHandlers(reader, clock),
    ...queueEntryHandlers({ db, clock, extended }),
    ...queueItemHandlers({ db, clock, extended }),
    ...accountHandlers({
      ...options,
      gate,
      limits_changed: forget,
      retention_changed: () => retention.wake(RETENTION),
    }),
    ...feedbackConfigHandlers(db, clock),
    ...feedbackFormulaHandlers(db, clock),
    ...feedbackTokenHandlers({ ...options, clock, onFeedback: decideByFeedback }),
    ...datasets.handlers,
    ...experimentHandlers({ reader, digest: ingestion, links, workspaces: options.workspaces }),
    ...experimentGroupHandlers({ reader, digest: ingestion }),
    ...experimentUploadHandlers({
      db,
      clock,
      digest: ingestion,
      book,
      examples: datasets.context,
      onFeedback: decideByFeedback,
    }),
    ...comparisonHandlers({ db, clock, sharing }),
    ...sessionHandlers(sessions),
    ...sessionV2Handlers(sessions),
    ...rules.handlers,
    ...alerts.handlers,
  };
  const serving = serve(observability, handlers, {
    service: 'observability',
    verify: options.verify,
    log,
    ...(options.check_answers === undefined ? {} : { check_answers: options.check_answers }),
    ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
  });
  return {
    served: rewriteShareUrls(serving),
    ready,
    warnings: async () => [...(await disk.warnings()), ...(await ingestion.warnings())],
    async [Symbol.asyncDispose]() {
      for (const one of [
        repricing,
        orphans,
        unnamed,
        removal,
        deletions,
        retention,
        placing,
        extension,
        alerts,
        rules,
        playground,
        outbox,
        datasets,
        // Last, since some of the others wait for it.
        ingestion,
      ])
        await one[Symbol.asyncDispose]();
    },
  };
}

function beginIngestion({
  ingestion_thread,
  log,
  clock,
  ...options
}: ObservabilityOptions & { readonly clock: Clock }): Ingestion {
  const { db, blobs, monthly_traces, monthly_bytes } = options;
  const allowance = { monthly_traces, monthly_bytes };
  return ingestion_thread === undefined
    ? openIngestion({ db, blobs, clock, log, allowance })
    : new IngestionThread({ ...ingestion_thread, allowance }, log);
}
