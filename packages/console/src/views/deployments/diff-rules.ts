import type { Revision } from './deployment-queries.ts';

/** What makes a revision, in lines, and what is another in a second one. Pure. */

export interface RevisionFact {
  readonly name: string;
  readonly value: string | undefined;
}

const shown = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value === '' ? undefined : value;
  return JSON.stringify(value);
};

/** Everything but the environment, whose values nobody sees. */
export function revisionFacts(revision: Revision): RevisionFact[] {
  const { resource_spec } = revision;
  const resources = Object.entries(resource_spec ?? {}).flatMap(([name, value]) => {
    const text = shown(value);
    return text === undefined ? [] : [{ name: `Resources: ${name}`, value: text }];
  });
  return [
    { name: 'Source', value: revision.source },
    { name: 'Ref', value: shown(revision.repo_ref) },
    { name: 'Commit', value: shown(revision.repo_commit_sha) },
    { name: 'Config path', value: shown(revision.langgraph_config_path) },
    { name: 'Image', value: shown(revision.image_uri) },
    { name: 'Source archive', value: shown(revision.source_tarball_path) },
    { name: 'Install command', value: shown(revision.install_command) },
    { name: 'Build command', value: shown(revision.build_command) },
    { name: 'Artifact', value: shown(revision.artifact_digest ?? revision.artifact_image) },
    { name: 'Environment version', value: shown(revision.environment_version) },
    ...resources,
  ];
}

export interface FactChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isChanged: boolean;
}

/** The facts of both, side by side, in the order of the newer one. */
export function compareRevisions(before: Revision, after: Revision): FactChange[] {
  const old = new Map(revisionFacts(before).map(({ name, value }) => [name, value]));
  const recent = new Map(revisionFacts(after).map(({ name, value }) => [name, value]));
  return [...new Set([...recent.keys(), ...old.keys()])]
    .map((name) => ({ name, before: old.get(name), after: recent.get(name) }))
    .filter((fact) => fact.before !== undefined || fact.after !== undefined)
    .map((fact) => ({ ...fact, isChanged: fact.before !== fact.after }));
}

export interface NameChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

/** Which variables came and went. */
export function compareNames(before: readonly string[], after: readonly string[]): NameChanges {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
    kept: after.filter((name) => before.includes(name)),
  };
}

/** Where a git host compares two commits; undefined for repositories that no browser opens. */
export function commitComparison(
  repo_url: string | undefined,
  commits: readonly [string, string],
): string | undefined {
  if (repo_url === undefined || !repo_url.startsWith('https://')) return undefined;
  const base = repo_url.replace(/\.git$/, '').replace(/\/+$/, '');
  const { host } = new URL(base);
  return `${base}${host.includes('gitlab') ? '/-' : ''}/compare/${commits.join('...')}`;
}
