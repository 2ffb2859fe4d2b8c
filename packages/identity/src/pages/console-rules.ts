/** Who enters the console. Pure. */

interface WorkspaceReach {
  readonly workspace: { readonly id: string };
}

/** The one who enters: for the workspace that is asked for, or the first. */
export const entering = <T extends WorkspaceReach>(
  subjects: readonly T[],
  workspace_id: string | undefined,
): T | undefined =>
  workspace_id === undefined ? subjects[0] : subjects.find(({ workspace }) => workspace.id === workspace_id);
