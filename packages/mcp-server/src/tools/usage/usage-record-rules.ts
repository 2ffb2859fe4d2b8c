/** Usage in the form that tools show: by workspace, each with its name. */

interface Usage {
  readonly value?: number | null;
  /** The amounts by workspace; null for an amount that is counted for all together. */
  readonly groups?: Readonly<Record<string, number>> | null;
  readonly [member: string]: unknown;
}

export interface NamedWorkspace {
  readonly id: string;
  readonly display_name?: string | null;
}

const nameOf = (id: string, workspaces: readonly NamedWorkspace[]) =>
  workspaces.find((one) => one.id.toLowerCase() === id.toLowerCase())?.display_name ?? id;

export const withNames = (usage: readonly Usage[], workspaces: readonly NamedWorkspace[]) =>
  usage.map((one) => ({ ...one, groups: groupsOf(Object.entries(one.groups ?? {}), workspaces) }));

function groupsOf(groups: readonly (readonly [string, number])[], workspaces: readonly NamedWorkspace[]) {
  if (groups.length === 0) return null;
  return Object.fromEntries(
    groups.map(([id, value]) => [id, { workspace_name: nameOf(id, workspaces), value }]),
  );
}

/** The usage of one workspace; nothing of the others is left, not even in their sums. */
export function ofWorkspace(usage: readonly Usage[], id: string): Usage[] {
  return usage.flatMap((one) => {
    const own = Object.entries(one.groups ?? {}).filter(([key]) => key.toLowerCase() === id.toLowerCase());
    const [group] = own;
    return group === undefined ? [] : [{ ...one, value: group[1], groups: Object.fromEntries(own) }];
  });
}

/** Finds a workspace by its id, else by its name, in any case. */
export function findWorkspace(
  workspaces: readonly NamedWorkspace[],
  given: string,
): NamedWorkspace | undefined {
  const said = given.trim().toLowerCase();
  return (
    workspaces.find(({ id }) => id.toLowerCase() === said) ??
    workspaces.find(({ display_name }) => display_name?.toLowerCase() === said)
  );
}
