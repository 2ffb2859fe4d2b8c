import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import type { agentServer } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/kit';

/** The oldest version of the original whose A2A endpoint clients rely on. */
const COMPATIBLE_WITH = '0.4.21';

export interface InfoOptions {
  /** `http.disable_a2a` of the active revision. */
  readonly disabled: () => boolean;
  readonly revision_id: () => string | undefined;
}

export function createInfoHandlers({
  disabled,
  revision_id,
}: InfoOptions): Pick<Handlers<typeof agentServer>, 'readOk' | 'readInfo'> {
  return {
    readOk: async () => ({ ok: true }),
    readInfo: async () => ({
      version: ROADSTEAD_VERSION,
      compatible_with: COMPATIBLE_WITH,
      context: 'js',
      flags: { a2a: !disabled(), assistants: false, crons: false, langsmith: true },
      revision_id: revision_id() ?? null,
    }),
  };
}
