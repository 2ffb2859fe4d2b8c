/** What makes a listener run somewhere. */

interface JoinRequest {
  readonly name: string;
  readonly origin: string;
  /** The address at which clients find its agents. */
  readonly agent_url: string;
  readonly namespace: string;
}

/** The command that registers a cluster, and prints what installs a data plane there. */
export function joinLine({ name, origin, agent_url, namespace }: JoinRequest): string {
  const lines = [
    `npx roadstead listener join ${quoted(name)}`,
    `--url ${quoted(origin)}`,
    `--agent-url ${quoted(agent_url)}`,
    ...(namespace === '' ? [] : [`--namespace ${quoted(namespace)}`]),
  ];
  return lines.join(' \\\n  ');
}

interface ListenerIdentity {
  readonly id: string;
  readonly key: string;
  readonly origin: string;
  readonly agent_url: string;
}

/** The environment of a data plane that is this listener. */
export const environmentLines = ({ id, key, origin, agent_url }: ListenerIdentity): string =>
  [
    `ROADSTEAD_CONTROL_URL=${origin}`,
    `ROADSTEAD_LISTENER_ID=${id}`,
    `ROADSTEAD_LISTENER_KEY=${key}`,
    `ROADSTEAD_AGENT_URL=${agent_url}`,
  ].join('\n');

const quoted = (text: string) => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

interface ListenerLike {
  readonly last_seen_at: string | null;
  readonly lease_expires_at: string | null;
}

export type Health = 'present' | 'away' | 'never seen';

/** Whether a listener is there: it holds its lease as long as it asks for news. */
export function healthOf({ last_seen_at, lease_expires_at }: ListenerLike, now_ms: number): Health {
  if (last_seen_at === null) return 'never seen';
  return lease_expires_at !== null && Date.parse(lease_expires_at) > now_ms ? 'present' : 'away';
}

interface DeploymentLike {
  readonly url: string | null;
  readonly source_config: { readonly listener_id?: string | null | undefined };
}

interface ListenerPlace {
  readonly id: string;
  /** Whether it is the platform's own, whose agents are found at the platform's address. */
  readonly is_own: boolean;
  readonly is_only: boolean;
  readonly origin: string;
}

/** Whether a deployment runs on a listener: it names it, or the platform placed it there. */
export function runsOn(
  { url, source_config }: DeploymentLike,
  { id, is_own, is_only, origin }: ListenerPlace,
) {
  const named = source_config.listener_id ?? undefined;
  if (named !== undefined) return named === id;
  return is_only || (is_own && url?.startsWith(`${origin}/`) === true);
}
