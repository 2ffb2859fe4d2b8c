import { addDataset } from './acting/add-dataset.ts';
import { commitPrompt } from './acting/commit-prompt.ts';
import { editExamples } from './acting/edit-examples.ts';
import { sendMessage } from './acting/send-message.ts';
import { startExperiment } from './acting/start-experiment.ts';
import { getThreadHistory } from './conversations/get-thread-history.ts';
import { listThreads } from './conversations/list-threads.ts';
import { listDatasets } from './datasets/list-datasets.ts';
import { listExamples } from './datasets/list-examples.ts';
import { readDataset } from './datasets/read-dataset.ts';
import { readExample } from './datasets/read-example.ts';
import { compareRevisions } from './deployments/compare-revisions.ts';
import { getDeploymentLogs } from './deployments/get-deployment-logs.ts';
import { getRevision } from './deployments/get-revision.ts';
import { listDeployments } from './deployments/list-deployments.ts';
import { createDataset } from './documentation/create-dataset.ts';
import { pushPrompt } from './documentation/push-prompt.ts';
import { runExperiment } from './documentation/run-experiment.ts';
import { updateExamples } from './documentation/update-examples.ts';
import { compareExperiments } from './experiments/compare-experiments.ts';
import { listExperiments } from './experiments/list-experiments.ts';
import { getPromptByName } from './prompts/get-prompt-by-name.ts';
import { listPrompts } from './prompts/list-prompts.ts';
import { fetchRuns } from './runs/fetch-runs.ts';
import { getRunStats } from './runs/get-run-stats.ts';
import { getRun } from './runs/get-run.ts';
import { getTraceTree } from './runs/get-trace-tree.ts';
import { listProjects } from './runs/list-projects.ts';
import { searchRuns } from './runs/search-runs.ts';
import { validateFilter } from './runs/validate-filter.ts';
import { getBillingUsage } from './usage/get-billing-usage.ts';
import type { Tool } from './tool.ts';
import { readToolsets } from './toolset-rules.ts';

/** Each folder is a toolset; listed in this order. */
export const toolsets: Readonly<Record<string, readonly Tool[]>> = {
  runs: [listProjects, fetchRuns, searchRuns, getRun, getTraceTree, getRunStats, validateFilter],
  conversations: [listThreads, getThreadHistory],
  deployments: [listDeployments, getRevision, getDeploymentLogs, compareRevisions],
  prompts: [listPrompts, getPromptByName],
  datasets: [listDatasets, readDataset, listExamples, readExample],
  experiments: [listExperiments, compareExperiments],
  usage: [getBillingUsage],
  documentation: [pushPrompt, createDataset, updateExamples, runExperiment],
  // All of them change something, so they are off unless they are requested.
  acting: [sendMessage, commitPrompt, addDataset, editExamples, startExperiment],
};

/**
 * The toolsets that a text names.
 * @throws Problem `invalid` for one that does not exist
 */
export const namedToolsets = (text: string) => readToolsets(toolsets, { text });
