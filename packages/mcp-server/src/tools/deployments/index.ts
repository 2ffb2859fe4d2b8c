import { compareRevisions } from './compare-revisions.ts';
import { getDeploymentLogs } from './get-deployment-logs.ts';
import { getRevision } from './get-revision.ts';
import { listDeployments } from './list-deployments.ts';

export const deploymentTools = [listDeployments, getRevision, getDeploymentLogs, compareRevisions];
