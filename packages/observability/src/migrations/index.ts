import { outboxMigration } from '@roadstead/outbound';
import type { Migration } from '@roadstead/postgres';
import { initial } from './0001-initial.ts';
import { account } from './0018-account.ts';
import { playground } from './0046-playground.ts';
import { prompts } from './0008-prompts.ts';
import { firstTokenOfTraces } from './0002-first-token-of-traces.ts';
import { searchAndRollups } from './0003-search-and-rollups.ts';
import { feedbackColumns } from './0005-feedback-columns.ts';
import { rulesAndExperiments } from './0007-rules-and-experiments.ts';
import { datasets } from './0006-datasets.ts';
import { sharedExperiments } from './0022-shared-experiments.ts';
import { sharesAndDeletions } from './0009-shares-and-deletions.ts';
import { reviewOrder } from './0020-review-order.ts';
import { agentNames } from './0019-agents.ts';
import { feedbackAndQueues } from './0012-feedback-and-queues.ts';
import { orphans } from './0016-orphans.ts';
import { bytesOfTraces } from './0024-bytes-of-traces.ts';
import { kickedOffBy } from './0023-kicked-off-by.ts';
import { sumsOfDetails } from './0021-sums-of-details.ts';
import { releasedBlobs } from './0026-released-blobs.ts';
import { undigested } from './0025-undigested.ts';
import { runsWithinCalls } from './0040-runs-within-calls.ts';
import { upkeep } from './0031-upkeep.ts';
import { sessionsOfAgents } from './0032-sessions-of-agents.ts';
import { turns } from './0042-turns.ts';
import { dueIndexes } from './0043-due.ts';
import { gapsOfTraces } from './0044-gaps-of-traces.ts';
import { alerts } from './0047-alerts.ts';
import { periodicWork } from './0048-periodic-work.ts';
import { decided } from './0045-decided.ts';
import { detailsPricesBlobs } from './0004-details-prices-blobs.ts';
import { oneSearchIndex } from './0030-one-search-index.ts';

/** Every step of the schema `traces`, in order. */
export const migrations: readonly Migration[] = [
  initial,
  firstTokenOfTraces,
  searchAndRollups,
  feedbackColumns,
  rulesAndExperiments,
  sharesAndDeletions,
  detailsPricesBlobs,
  prompts,
  account,
  datasets,
  outboxMigration(11),
  feedbackAndQueues,
  orphans,
  reviewOrder,
  agentNames,
  sharedExperiments,
  sumsOfDetails,
  kickedOffBy,
  bytesOfTraces,
  undigested,
  releasedBlobs,
  oneSearchIndex,
  upkeep,
  sessionsOfAgents,
  runsWithinCalls,
  turns,
  dueIndexes,
  gapsOfTraces,
  decided,
  playground,
  alerts,
  periodicWork,
];
