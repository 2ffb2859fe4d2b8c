import { z } from 'zod';
import { toNodeListener } from '@roadstead/http';
import { setting } from '@roadstead/kit';
import {
  addressSetting,
  createFetchingVerifier,
  identityClient,
  identityUrlSetting,
  ServiceKey,
  type ServiceProgram,
} from '@roadstead/service';
import { fetchWithoutRedirects } from './access/api-client.ts';
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
  secret_key: setting({
    env: 'ROADSTEAD_SECRET_KEY',
    doc: 'Keys that seal what users are asked before a tool acts, separated by commas; the first seals, all open. The same in every instance behind one edge.',
    schema: ServiceKey.optional(),
    shown_default: 'one of each process',
    secret: true,
  }),
};

export const mcpServerProgram: ServiceProgram<typeof settings> = {
  name: 'mcp-server',
  summary: 'MCP tools over the public API of observability, with the caller’s own key.',
  settings,
  start: async (config, log) => {
    const service = await startMcpServer({
      verify: createFetchingVerifier(identityClient({ base_url: config.identity_url }), 'platform'),
      fetch: fetchWithoutRedirects,
      api_url: `${config.public_url}/api`,
      agents: {
        pattern: config.agent_url ?? `${config.public_url}/agents/{slug}`,
        base: `${config.public_url}/agents`,
      },
      allowed_endpoints: config.mcp_endpoints,
      ...(config.secret_key === undefined
        ? {}
        : { confirmation_secrets: config.secret_key.split(',').filter((key) => key !== '') }),
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
