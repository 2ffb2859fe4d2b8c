import type { observabilityErasure } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { BlobContext } from '../attachments/blob-removal-work.ts';
import { eraseWorkspace, readHoldings } from './erasure-work.ts';

type ErasureHandlers = Handlers<typeof observabilityErasure>;

export function erasureHandlers(context: BlobContext): ErasureHandlers {
  return {
    readTracedHoldings: async ({ workspace_id }) => readHoldings(context, workspace_id),
    eraseTracedWorkspace: async ({ workspace_id, principal }) => {
      if (principal.actor !== 'service:identity')
        throw new Problem('forbidden', 'Identity alone has workspaces erased.');
      return eraseWorkspace(context, workspace_id);
    },
  };
}
