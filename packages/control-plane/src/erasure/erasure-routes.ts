import type { controlPlaneErasure } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { eraseWorkspace, readHoldings } from './erasure-work.ts';

type ErasureHandlers = Handlers<typeof controlPlaneErasure>;

export function erasureHandlers(context: Context): ErasureHandlers {
  return {
    readControlHoldings: async ({ workspace_id }) => readHoldings(context, workspace_id),
    eraseControlWorkspace: async ({ workspace_id, principal }) => {
      if (principal.actor !== 'service:identity')
        throw new Problem('forbidden', 'Only identity may have workspaces erased.');
      return eraseWorkspace(context, workspace_id);
    },
  };
}
