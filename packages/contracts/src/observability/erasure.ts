import { endpoint } from '../endpoints/endpoint.ts';
import { Erasure, Holdings } from '../endpoints/erasure.ts';

export const observabilityErasure = {
  readTracedHoldings: endpoint({
    method: 'GET',
    path: '/v2/observability/holdings',
    summary: 'What prevents the deletion of a workspace; for identity only',
    auth: 'signed',
    success: { status: 200, body: Holdings },
  }),
  eraseTracedWorkspace: endpoint({
    method: 'POST',
    path: '/v2/observability/erasure',
    summary: 'Erase some of what a workspace has here; for identity only',
    auth: 'signed',
    success: { status: 200, body: Erasure },
  }),
};
