import type { Client } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import type { ObservabilityContract } from '@roadstead/contracts/observability';
import type { Blobs, Database, Log, SecretBox } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';
import type { Events } from './events/event-loop.ts';
import type { LogWatch } from './logs/log-watch.ts';
import type { AppTokens } from './integrations/app-tokens.ts';
import type { Notifier } from './listeners/notifier.ts';
import type { Templates } from './templates/template-folder.ts';
import type { AddressSigner } from './uploads/signed-address.ts';

/** What a signed upload address permits. */
export interface UploadClaims {
  readonly method: 'PUT';
  readonly deployment_id: string;
  readonly object_path: string;
  readonly max_bytes: number;
}

/** What a signed blob address permits. */
export type BlobClaims =
  | { readonly method: 'GET'; readonly digest: string }
  | { readonly method: 'PUT'; readonly revision_id: string };

/** Everything that routes and loops stand on; made once by `startControlPlane`. */
export interface Context {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly secret_box: SecretBox;
  readonly log: Log;
  readonly clients: {
    readonly observability: (workspace_id: string) => Client<ObservabilityContract>;
    readonly identity: (workspace_id: string) => Client<IdentityContract>;
  };
  /** The one way to addresses that users give. */
  readonly outbound: GuardedFetch;
  readonly app_tokens: AppTokens;
  /** Hosts that the operator lets users name although they are private; of these also without TLS. */
  readonly allowed_hosts: readonly string[];
  /** Below it OAuth providers return browsers; part of the address that is registered there. */
  readonly auth_callback_path: string;
  /** Without a trailing slash. */
  readonly public_url: string;
  readonly agent_url: (slug: string) => string;
  readonly bin_days: number;
  readonly templates: Templates;
  /** How often listeners look at watched refs, in seconds; 0 for never. */
  readonly git_poll_s: number;
  readonly uploads: AddressSigner<UploadClaims>;
  readonly blob_addresses: AddressSigner<BlobClaims>;
  /** A keyed hash, for what must be compared and not kept. */
  readonly mac: (text: string) => Buffer;
  /** Names this instance in claims. */
  readonly instance_id: string;
  /** Wakes the loop for a deployment that may need something. */
  readonly wake: (deployment_id: string) => void;
  /** What was published; followed by streams. */
  readonly events: Pick<Events, 'caughtUp' | 'follow'>;
  /** Notices what is appended to logs that are followed. */
  readonly logs: Pick<LogWatch, 'open' | 'wake'>;
  /** Notified under a listener's id when it has news. */
  readonly notifier: Notifier;
  /** Aborted when the service ends. */
  readonly stopping: AbortSignal;
}
