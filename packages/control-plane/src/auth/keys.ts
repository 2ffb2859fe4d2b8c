/** Keys of rows of OAuth: `provider_id` is the provider as users named it in a workspace, `provider` the id of its row. */

export interface ProviderKey {
  readonly workspace_id: string;
  readonly provider_id: string;
}

/** A user of a provider, who may have several tokens. */
export interface ProviderUser {
  readonly provider: string;
  readonly user_id: string;
}

/** An agent that acts for users, and its deployment, where it has one. */
export interface AgentKey {
  readonly agent_id: string;
  readonly deployment_id: string | null;
}

/** An agent at a provider, where it may have a token of its own. */
export interface ProviderAgent extends AgentKey {
  readonly workspace_id: string;
  readonly provider: string;
}
