import type { organizations } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { askIdentity, readWorkspace, type WorkspacesOf } from '../workspaces/workspaces.ts';

type OrganizationHandlers = Handlers<typeof organizations>;

const plan = { config: {}, is_personal: false, tier: null, reached_max_workspaces: false };
/** Nothing is billed. */
const billing = {
  connected_to_stripe: false,
  connected_to_metronome: false,
  payment_method: null,
  end_of_billing_period: null,
  current_plan: null,
  upcoming_plan: null,
};

/** A workspace is its own organisation. */
export function organizationHandlers({
  workspaces,
  public_sharing,
}: {
  readonly workspaces: WorkspacesOf;
  readonly public_sharing: boolean;
}): OrganizationHandlers {
  const organization = async (workspace_id: string) => {
    const { id, name } = await readWorkspace(workspaces, workspace_id);
    return { id, display_name: name, ...plan };
  };
  const info = async (workspace_id: string, permissions: readonly string[]) => ({
    ...(await organization(workspace_id)),
    permissions: [...permissions],
    disabled: false,
    public_sharing_disabled: !public_sharing,
    pat_creation_disabled: false,
    sso_only: false,
    jit_provisioning_enabled: false,
    invites_enabled: false,
    ip_allowlist: [],
  });
  return {
    readOrganization: async ({ workspace_id, principal }) => ({
      ...(await organization(workspace_id)),
      ...billing,
      has_cancelled: false,
      permissions: [...principal.scopes],
    }),
    readOrganizationInfo: async ({ workspace_id, principal }) => info(workspace_id, principal.scopes),
    patchOrganizationInfo: async ({ workspace_id, principal, body: { display_name, ...others } }) => {
      const refused = Object.entries(others).find(([, value]) => value != null);
      if (refused !== undefined)
        throw new Problem(
          'not_implemented',
          `${refused[0]} can be changed by the operator of the server only.`,
          {
            hint: 'Only display_name can be changed here.',
          },
        );
      if (display_name != null)
        await askIdentity(() =>
          workspaces(workspace_id).patchWorkspace({ params: { workspace_id }, body: { name: display_name } }),
        );
      return info(workspace_id, principal.scopes);
    },
    readBilling: async ({ workspace_id }) => ({
      ...(await organization(workspace_id)),
      ...billing,
      disabled: false,
    }),
  };
}
