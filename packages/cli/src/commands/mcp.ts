import { z } from 'zod';
import { readConfig, setting } from '@roadstead/kit/client';
import { findTarget, platformUrl } from '../client/target.ts';
import { type Command, targetOptions } from './command.ts';

export const mcpSettings = {
  api_key: setting({
    env: 'SERVICE_API_KEY',
    doc: 'API key for `roadstead mcp`.',
    schema: z.string().optional(),
    shown_default: 'as for every command',
  }),
  endpoint: setting({
    env: 'SERVICE_ENDPOINT',
    doc: 'LangSmith-compatible address that `roadstead mcp` reads.',
    schema: z.url().optional(),
    shown_default: '{ROADSTEAD_URL}/api',
  }),
  workspace_id: setting({
    env: 'SERVICE_WORKSPACE_ID',
    doc: 'Workspace, where the key reaches several.',
    schema: z.string().optional(),
  }),
};

export const mcp: Command = {
  name: 'mcp',
  operands: '',
  summary: 'Serve the MCP tools over standard input and output, for a local MCP client.',
  options: targetOptions,
  run: async ({ values }) => {
    const { serveStdio } = await import('@roadstead/mcp-server');
    const config = readConfig(mcpSettings);
    await serveStdio({
      endpoint: config.endpoint ?? `${platformUrl(values)}/api`,
      api_key: config.api_key ?? (await findTarget(values)).api_key,
      ...(config.workspace_id === undefined ? {} : { workspace_id: config.workspace_id }),
    });
    return 0;
  },
};
