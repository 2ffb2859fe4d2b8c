import { createHmac, randomUUID } from 'node:crypto';
import type { Contract } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import {
  type Call,
  type Handlers,
  serve,
  type RequestHandler,
  type ServeOptions,
  type Verifier,
} from '@roadstead/http';
import { type Clock, systemClock } from '@roadstead/kit';
import { type Database, isReachable, migrate } from '@roadstead/postgres';
import { authHandlers } from './auth/auth.ts';
import { blobHandlers } from './blobs/blobs-routes.ts';
import type { BlobClaims, Context, ImageClaims, UploadClaims } from './context/context.ts';
import { deploymentLoop } from './deployments/deployment-loop.ts';
import { deploymentOperationHandlers } from './deployments/deployment-operations-routes.ts';
import { deploymentHandlers } from './deployments/deployments-routes.ts';
import { erasureHandlers } from './erasure/erasure-routes.ts';
import { startEvents } from './events/event-loop.ts';
import { eventHandlers } from './events/events-routes.ts';
import { createAppTokens } from './git-hosts/app-tokens.ts';
import { installationHandlers } from './integrations/git-installations-routes.ts';
import { integrationHandlers } from './integrations/integrations-routes.ts';
import { checkListenerKey } from './listeners/listener-key-rules.ts';
import { createNotifier } from './context/notifier.ts';
import { listenerHandlers } from './listeners/listeners-routes.ts';
import { placeHandlers } from './listeners/places-routes.ts';
import { ensureEmbeddedListener, isListening, readClock } from './records/listener-store.ts';
import { startLogWatch } from './logs/log-watch.ts';
import { logHandlers } from './logs/logs-routes.ts';
import { migrations } from './migrations/index.ts';
import { checkParameters } from './requests/parameter-rules.ts';
import { headHandlers } from './pushes/listener-git-routes.ts';
import { hookHandlers } from './pushes/git-hooks-routes.ts';
import { imageBlobHandlers } from './registry/image-blobs-routes.ts';
import { imageManifestHandlers } from './registry/image-manifests-routes.ts';
import { withImageTokens } from './registry/image-tokens.ts';
import { imageUploadHandlers } from './registry/image-uploads-routes.ts';
import { retentionLoop } from './retention/retention-loop.ts';
import { revisionHandlers } from './revisions/revisions-routes.ts';
import { bundledTemplates, openTemplates } from './templates/template-folder.ts';
import { templateHandlers } from './templates/templates-routes.ts';
import { uploadHandlers } from './uploads/uploads-routes.ts';
import { webhookHandlers } from './webhooks/webhooks-routes.ts';
import { webhookSubscribers } from './webhooks/webhook-work.ts';
import { createAddressSigner } from './context/signed-address.ts';

export interface ControlPlaneOptions extends Pick<
  Context,
  | 'blobs'
  | 'secret_box'
  | 'log'
  | 'clients'
  | 'outbound'
  | 'allowed_hosts'
  | 'auth_callback_path'
  | 'agent_url'
  | 'bin_days'
  | 'git_poll_s'
  | 'images'
> {
  /** Its search path is the schema `control`. */
  readonly db: Database;
  /** Signs upload and blob addresses. */
  readonly address_secret: string;
  readonly verify: Verifier;
  /** The origin's public address. */
  readonly public_url: string;
  /** The platform's own listener, of compute type process. */
  readonly embedded_listener: { readonly id: string };
  /** A folder of templates, one per subfolder; by default those that come with Roadstead. */
  readonly templates_folder?: string | undefined;
  readonly clock?: Clock;
  readonly check_answers?: boolean;
  readonly onAnswer?: ServeOptions['onAnswer'];
}

export interface ControlPlaneService extends AsyncDisposable {
  readonly served: RequestHandler;
  /** Whether it can serve: its database answers. */
  ready(): Promise<boolean>;
  /** For an operator, as sentences. */
  warnings(): Promise<string[]>;
  /** Whether the embedded listener has polled since the start and holds its lease. */
  isListening(): Promise<boolean>;
  /** Ends streams and waiting polls, which would never end by themselves; their clients reconnect. */
  endStreams(): void;
}

export const CONTROL_PLANE_SCHEMA = 'control';

const NOT_LISTENING =
  'The data plane of the platform has not called for some time: what is deployed waits for it.';

/** Brings the schema up to date, for programs that start later. */
export const migrateControlPlane = (db: Database): Promise<void> =>
  migrate(db, { schema: CONTROL_PLANE_SCHEMA, migrations });

/**
 * Brings the schema up to date, resumes the work of an earlier process, and serves. Disposing ends passes; `db` stays
 * open.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlaneService> {
  const { db, log, embedded_listener } = options;
  await migrateControlPlane(db);
  await ensureEmbeddedListener(db, embedded_listener.id);
  const began = await readClock(db);
  const stop = new AbortController();
  const events = startEvents({
    ...options,
    schema: CONTROL_PLANE_SCHEMA,
    subscribers: webhookSubscribers(options),
  });
  const logs = startLogWatch(options);
  const wakers: ((deployment_id: string) => void)[] = [() => events.wake()];
  const context = createContext(options, {
    stopping: stop.signal,
    events,
    logs,
    wake: (id) => wakers.forEach((wake) => wake(id)),
  });
  const deployments = deploymentLoop(context).start();
  wakers.push((id) => deployments.wake(id));
  const retention = retentionLoop(context).start();
  return {
    served: withImageTokens(
      serve(controlPlane, handlersOf(context), {
        service: 'control-plane',
        verify: options.verify,
        log,
        check_answers: options.check_answers ?? false,
        ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
      }),
      context,
    ),
    ready: () => isReachable(db),
    warnings: async () => ((await isListening(db, embedded_listener)) ? [] : [NOT_LISTENING]),
    isListening: () => isListening(db, { ...embedded_listener, since: began }),
    endStreams: () => stop.abort(),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all([deployments, retention, events, logs].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

function createContext(
  options: ControlPlaneOptions,
  { stopping, events, logs, wake }: Pick<Context, 'stopping' | 'events' | 'logs' | 'wake'>,
): Context {
  const { db, blobs, secret_box, log, clients, outbound, agent_url, bin_days, git_poll_s, address_secret } =
    options;
  const now = () => (options.clock ?? systemClock).now();
  return {
    db,
    blobs,
    secret_box,
    log,
    clients,
    outbound,
    app_tokens: createAppTokens({ outbound, now }),
    allowed_hosts: options.allowed_hosts,
    auth_callback_path: options.auth_callback_path,
    agent_url,
    bin_days,
    templates: openTemplates(options.templates_folder ?? bundledTemplates()),
    git_poll_s,
    images: options.images,
    public_url: options.public_url.replace(/\/+$/, ''),
    uploads: createAddressSigner<UploadClaims>({ secret: address_secret, purpose: 'upload', now }),
    blob_addresses: createAddressSigner<BlobClaims>({ secret: address_secret, purpose: 'blob', now }),
    image_tokens: createAddressSigner<ImageClaims>({ secret: address_secret, purpose: 'image', now }),
    mac: (text) => createHmac('sha256', `idempotency:${address_secret}`).update(text).digest(),
    instance_id: randomUUID(),
    wake,
    events,
    logs,
    notifier: createNotifier(),
    stopping,
  };
}

/** The handlers of all operations, in the order of the contract. */
function handlersOf(context: Context): Handlers<typeof controlPlane> {
  return refusingUnknown({
    ...deploymentHandlers(context),
    ...deploymentOperationHandlers(context),
    ...uploadHandlers(context),
    ...revisionHandlers(context),
    ...logHandlers(context),
    ...listenerHandlers(context),
    ...headHandlers(context),
    ...integrationHandlers(context),
    ...installationHandlers(context),
    ...hookHandlers(context),
    ...blobHandlers(context),
    ...imageUploadHandlers(context),
    ...imageBlobHandlers(context),
    ...imageManifestHandlers(context),
    ...eventHandlers(context),
    ...authHandlers(context),
    ...placeHandlers(context),
    ...erasureHandlers(context),
    ...webhookHandlers(context),
    ...templateHandlers(context),
  });
}

/** The handlers, each behind the check of its query parameters. */
function refusingUnknown(handlers: Handlers<typeof controlPlane>): Handlers<typeof controlPlane> {
  const contract: Contract = controlPlane;
  const checked = Object.entries(handlers).map(([operation, handle]) => {
    const endpoint = contract[operation];
    const check = async (call: Call) => {
      if (endpoint !== undefined) {
        checkParameters(endpoint, call.request.url);
        checkListenerKey(endpoint, call);
      }
      return (handle as (call: Call) => Promise<unknown>)(call);
    };
    return [operation, check];
  });
  return Object.fromEntries(checked) as Handlers<typeof controlPlane>;
}
