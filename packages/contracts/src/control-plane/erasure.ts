import { endpoint } from '../endpoints/endpoint.ts';
import { Erasure, Holdings } from '../endpoints/erasure.ts';

export const controlPlaneErasure = {
  readControlHoldings: endpoint({
    method: 'GET',
    path: '/v2/control-plane/holdings',
    summary: 'What prevents the deletion of a workspace; for identity only',
    auth: 'signed',
    success: { status: 200, body: Holdings },
  }),
  eraseControlWorkspace: endpoint({
    method: 'POST',
    path: '/v2/control-plane/erasure',
    summary: 'Erase some of what a workspace has here; for identity only',
    auth: 'signed',
    success: { status: 200, body: Erasure },
  }),
};
