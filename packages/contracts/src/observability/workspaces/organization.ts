import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

/** The organisation, of which each workspace is one, and its billing, of which there is none. */

const text = z.string().nullable();
const organization = {
  id: z.string(),
  display_name: z.string(),
  config: z.record(z.string(), z.unknown()),
  is_personal: z.boolean(),
  tier: text,
  reached_max_workspaces: z.boolean(),
};
const billing = {
  connected_to_stripe: z.boolean(),
  connected_to_metronome: z.boolean(),
  payment_method: z.null(),
  end_of_billing_period: z.null(),
  current_plan: z.null(),
  upcoming_plan: z.null(),
};

const OrganizationInfo = z
  .object({
    ...organization,
    permissions: z.array(z.string()),
    disabled: z.boolean(),
    public_sharing_disabled: z.boolean(),
    pat_creation_disabled: z.boolean(),
    sso_only: z.boolean(),
    jit_provisioning_enabled: z.boolean(),
    invites_enabled: z.boolean(),
    ip_allowlist: z.array(z.string()),
  })
  .meta({ id: 'OrganizationInfo' });

/** A setting that an operator decides for the whole server. */
const ofTheOperator = z.unknown().nullish();

export const organizations = {
  readOrganization: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current',
    summary: 'Read the organisation, which is the workspace',
    access: 'workspaces:read',
    success: {
      status: 200,
      body: z
        .object({
          ...organization,
          ...billing,
          has_cancelled: z.boolean(),
          permissions: z.array(z.string()),
        })
        .meta({ id: 'Organization' }),
    },
  }),
  readOrganizationInfo: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/info',
    summary: 'Read the organisation’s name and what it may do',
    access: 'workspaces:read',
    success: { status: 200, body: OrganizationInfo },
  }),
  patchOrganizationInfo: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/orgs/current/info',
    summary: 'Change the organisation’s name; what the operator decides is refused',
    access: 'workspaces:admin',
    errors: [501],
    body: z.object({
      display_name: WellFormedText.min(1).max(200).nullish(),
      public_sharing_disabled: ofTheOperator,
      pat_creation_disabled: ofTheOperator,
      jit_provisioning_enabled: ofTheOperator,
      invites_enabled: ofTheOperator,
      ip_allowlist: ofTheOperator,
      max_api_key_expiry_days: ofTheOperator,
      unshare_all: ofTheOperator,
    }),
    success: { status: 200, body: OrganizationInfo },
    example: { body: { display_name: 'Acme' } },
  }),
  readBilling: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/billing',
    summary: 'Read the organisation’s billing: nothing is billed here',
    access: 'usage:read',
    success: {
      status: 200,
      body: z
        .object({ ...organization, ...billing, disabled: z.boolean() })
        .meta({ id: 'OrganizationBilling' }),
    },
  }),
};
