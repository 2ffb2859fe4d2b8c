import type { agentServer } from '@roadstead/contracts/agent-server';
import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import type { Manifest } from '@roadstead/contracts/host';
import type { Handlers, Log } from '@roadstead/kit';
import { createA2aHandlers } from './a2a/a2a-routes.ts';
import type { TaskEngine } from './tasks/task-engine.ts';

export interface AgentRoutesOptions {
  readonly engine: TaskEngine;
  readonly name: string;
  readonly public_url: string;
  readonly max_body_bytes: number;
  readonly log: Log;
  readonly active: () =>
    | { readonly revision_id: string; readonly manifest: Manifest | undefined }
    | undefined;
}

/** The oldest version of the original whose A2A endpoint clients rely on (spec/a2a-endpoint.md "Versioning"). */
const COMPATIBLE_WITH = '0.4.21';

/** Everything that an agent server answers below `/agents/{slug}`. */
export function agentHandlers({
  engine,
  name,
  public_url,
  max_body_bytes,
  log,
  active,
}: AgentRoutesOptions): Handlers<typeof agentServer> {
  const disabled = () => active()?.manifest?.http.disable_a2a === true;
  return {
    ...createA2aHandlers({
      engine,
      name,
      public_url,
      version: ROADSTEAD_VERSION,
      max_body_bytes,
      disabled,
      log,
    }),
    readOk: async () => ({ ok: true }),
    readInfo: async () => ({
      version: ROADSTEAD_VERSION,
      compatible_with: COMPATIBLE_WITH,
      context: 'js',
      flags: { a2a: !disabled(), assistants: false, crons: false, langsmith: true },
      revision_id: active()?.revision_id ?? null,
    }),
  };
}
