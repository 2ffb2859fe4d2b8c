import { z } from 'zod';
import { setting, toNodeListener } from '@roadstead/kit';
import {
  addressSetting,
  createFetchingVerifier,
  identityClient,
  identityUrlSetting,
  type ServiceProgram,
} from '@roadstead/service';
import { withSignIn } from './access/sign-in.ts';
import { startMcpServer } from './mcp-server.ts';

/** Also a setting of `roadstead up`. */
export const mcpEndpointsSetting = setting({
  env: 'ROADSTEAD_MCP_ENDPOINTS',
  doc: 'Other LangSmith-compatible addresses that the MCP server may read from, separated by commas.',
  schema: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((one) => one !== '')),
});

const settings = {
  public_url: addressSetting(
    'ROADSTEAD_URL',
    'Address of the edge, at which callers’ questions are answered.',
  ),
  identity_url: identityUrlSetting,
  mcp_endpoints: mcpEndpointsSetting,
  agent_url: setting({
    env: 'ROADSTEAD_AGENT_URL',
    doc: 'Agents’ public address, with `{slug}`.',
    schema: z.string().includes('{slug}').optional(),
    shown_default: '{ROADSTEAD_URL}/agents/{slug}',
  }),
};

export const mcpServerProgram: ServiceProgram<typeof settings> = {
  name: 'mcp-server',
  summary: 'MCP tools over the public API of observability, with the caller’s own key.',
  settings,
  start: async (config, log) => {
    const service = await startMcpServer({
      verify: createFetchingVerifier(identityClient({ base_url: config.identity_url }), 'platform'),
      fetch: (request) => fetch(request, { redirect: 'error' }),
      api_url: `${config.public_url}/api`,
      agents: {
        pattern: config.agent_url ?? `${config.public_url}/agents/{slug}`,
        base: `${config.public_url}/agents`,
      },
      allowed_endpoints: config.mcp_endpoints,
      log,
    });
    const served = withSignIn(service.served, config.public_url);
    return {
      listener: toNodeListener((request) => served.fetch(request)),
      health: async () => ({ ready: true, warnings: [] }),
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  },
};
