import { attachments } from './attachments.ts';
import { deletions } from './deletions.ts';
import { info } from './info.ts';
import { ingest } from './ingest.ts';
import { plannedAccount } from './planned-account.ts';
import { plannedDatasets } from './planned-datasets.ts';
import { plannedFeedback } from './planned-feedback.ts';
import { plannedPrompts } from './planned-prompts.ts';
import { plannedRuns } from './planned-runs.ts';
import { refused } from './refused.ts';
import { prices } from './prices.ts';
import { runs } from './runs.ts';
import { runsV2 } from './runs-v2.ts';
import { shares } from './shares.ts';
import { sessions } from './sessions.ts';

export const observability = {
  ...info,
  ...ingest,
  ...attachments,
  ...prices,
  ...runs,
  ...runsV2,
  ...shares,
  ...deletions,
  ...sessions,
  ...plannedRuns,
  ...plannedDatasets,
  ...plannedFeedback,
  ...plannedPrompts,
  ...plannedAccount,
  ...refused,
};
export type ObservabilityContract = typeof observability;
