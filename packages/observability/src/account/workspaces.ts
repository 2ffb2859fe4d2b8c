import type { Client } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';

/** What is asked of identity, which alone knows workspaces and keys. */
export type Workspaces = Pick<
  Client<IdentityContract>,
  'listWorkspaces' | 'createWorkspace' | 'patchWorkspace' | 'listApiKeys'
>;
