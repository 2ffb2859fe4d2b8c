import type { Client } from '@roadstead/contracts';
import type { Template } from '@roadstead/contracts/control-plane';
import type { IdentityContract } from '@roadstead/contracts/identity';
import type { ObservabilityContract } from '@roadstead/contracts/observability';
import type { Blobs } from '@roadstead/blobs';
import type { Log, SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { GuardedFetch } from '@roadstead/outbound';
import type { Events } from '../events/event-loop.ts';
import type { AppTokens } from '../git-hosts/app-tokens.ts';
import type { Notifier } from './notifier.ts';
import type { AddressSigner } from './signed-address.ts';

/** The upload that a signed address permits. */
export interface UploadClaims {
  readonly method: 'PUT';
  readonly deployment_id: string;
  readonly object_path: string;
  readonly max_bytes: number;
}

/** The use of a blob that a signed address permits. */
export type BlobClaims =
  | { readonly method: 'GET'; readonly digest: string }
  | { readonly method: 'PUT'; readonly revision_id: string };

/** What a token of the registry permits. */
export interface ImageClaims {
  readonly right: 'push' | 'pull';
  readonly workspace_id: string;
  readonly deployment_id: string;
}

/** What holds for images that are pushed. */
interface ImageSettings {
  /** The operator's registry, in place of ours: its name, and a path if any. */
  readonly registry_url: string | undefined;
  /** The file that has the login there by which tokens for pushes are asked for; undefined where who pushes has their own. */
  readonly login_file?: string | undefined;
  /** Whether pushes get that login itself where there are no tokens. */
  readonly share_login?: boolean | undefined;
  /** What the images of one workspace may take. */
  readonly max_bytes: number;
  /** How long an image is kept that no revision has. */
  readonly kept_days: number;
}

/** The catalogue: a folder per template, of the same name, with a `template.json` that describes it. */
export interface Templates {
  /** All templates, ordered by id. */
  list(): Promise<Template[]>;
  /** The template's files as gzip tar: the same files give the same bytes. */
  pack(id: string): Promise<AsyncIterable<Uint8Array>>;
}

/** The build logs of a deployment, or its server log: a log that can be followed. */
export interface LogId {
  readonly deployment_id: string;
  readonly kind: 'build' | 'server';
}

interface LogNews extends Disposable {
  count(): number;
  /** The newest chunk that was seen; those before it exist. -1: it has not looked yet. */
  newest(): number;
  /** Resolves when the log has grown since `count`, after `ms`, or when the signal aborts. */
  wait(count: number, until: { readonly ms: number; readonly signal: AbortSignal }): Promise<void>;
}

/** Notices new lines in logs that are followed. */
export interface LogWatch {
  open(of: LogId): LogNews;
  /** Called when this process has appended something. */
  wake(): void;
}

/** The dependencies of all routes and loops; created once by `startControlPlane`. */
export interface Context {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly secret_box: SecretBox;
  readonly log: Log;
  readonly clients: {
    readonly observability: (workspace_id: string) => Client<ObservabilityContract>;
    readonly identity: (workspace_id: string) => Client<IdentityContract>;
  };
  /** The only way to addresses that users give. */
  readonly outbound: GuardedFetch;
  readonly app_tokens: AppTokens;
  /** Hosts that the operator lets users name although they are private; these may also be called without TLS. */
  readonly allowed_hosts: readonly string[];
  /** OAuth providers return browsers below this path; it is part of the address registered there. */
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
  readonly image_tokens: AddressSigner<ImageClaims>;
  readonly images: ImageSettings;
  /** A keyed hash, for values that must be compared and not kept. */
  readonly mac: (text: string) => Buffer;
  /** The name of this instance in claims. */
  readonly instance_id: string;
  /** Wakes the loop for a deployment that may need something. */
  readonly wake: (deployment_id: string) => void;
  /** Published events, which streams follow. */
  readonly events: Pick<Events, 'caughtUp' | 'follow'>;
  readonly logs: LogWatch;
  /** Notified under a listener's id when there is news for it. */
  readonly notifier: Notifier;
  /** Aborted when the service ends. */
  readonly stopping: AbortSignal;
}
