import type { Revision } from '@roadstead/contracts/control-plane';

/** Shapes revisions for display: without members that only machines need, and never with a secret's value. */

/** A line of a list. */
export function brief({ id, number, status, created_at, trigger }: Revision) {
  return { id, number, status, created_at, trigger: trigger.kind };
}

/** Why it failed or waits; the caller cuts the texts. */
export function reasonOf({ number, status_reason }: Revision) {
  if (status_reason === null) return undefined;
  const { phase, code, message, hint, log_tail } = status_reason;
  return {
    revision: number,
    phase,
    code,
    message,
    ...(hint ? { hint } : {}),
    ...(log_tail && log_tail.length > 0 ? { log_tail: log_tail.join('\n') } : {}),
  };
}

const SECOND = 1000;

export function phasesOf({ phases }: Revision) {
  return phases.map(({ phase, started_at, ended_at }) => ({
    phase,
    started_at,
    ...(ended_at === null ? {} : { seconds: (Date.parse(ended_at) - Date.parse(started_at)) / SECOND }),
  }));
}

export function sourceOf(revision: Revision) {
  const { source, repo_ref, repo_commit_sha, image_uri, langgraph_config_path, source_tarball_path } =
    revision;
  return filled({
    kind: source,
    repo_ref,
    repo_commit_sha,
    image_uri,
    langgraph_config_path,
    source_tarball_path,
  });
}

/** The parts of a revision, by name; comparable member by member. */
function madeOf(revision: Revision): Readonly<Record<string, unknown>> {
  const { install_command, build_command, artifact_digest, artifact_image } = revision;
  return filled({
    ...sourceOf(revision),
    install_command,
    build_command,
    artifact: artifact_digest ?? artifact_image,
    resources: maskedResources(revision.resource_spec),
  });
}

/** The variables of a resource spec by name only: their values may be secret. */
function maskedResources(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskedResources);
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== null && inner !== undefined)
    .map(([name, inner]) => [name, name === 'env' ? variableNames(inner) : maskedResources(inner)] as const);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const variableNames = (env: unknown) =>
  Array.isArray(env) ? env.map((one: { name?: unknown } | null) => one?.name) : [];

interface Change {
  readonly from?: unknown;
  readonly to?: unknown;
}

export interface RevisionChanges {
  readonly changed: Readonly<Record<string, Change>>;
  readonly secrets?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** The environment has changed; its values aren't shown. */
    readonly set_anew: boolean;
  };
}

/** The differences of a revision from an earlier one. */
export function changesBetween(before: Revision, after: Revision): RevisionChanges {
  const [old, fresh] = [madeOf(before), madeOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const changed = names
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
    .map((name) => [name, filled({ from: old[name], to: fresh[name] })] as const);
  return { changed: Object.fromEntries(changed), ...secretsBetween(before, after) };
}

function secretsBetween(before: Revision, after: Revision): Pick<RevisionChanges, 'secrets'> {
  if (before.environment_version === after.environment_version) return {};
  const added = without(after.secret_names, before.secret_names);
  const removed = without(before.secret_names, after.secret_names);
  const set_anew = added.length === 0 && removed.length === 0;
  return { secrets: { added, removed, set_anew } };
}

const without = (names: readonly string[] = [], others: readonly string[] = []) =>
  names.filter((name) => !others.includes(name));

function filled<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>;
}
