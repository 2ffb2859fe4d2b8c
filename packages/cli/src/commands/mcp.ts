import { z } from 'zod';
import { readConfig, setting } from '@roadstead/kit/client';
import { findTarget, platformUrl } from '../client/target.ts';
import { type Command, targetOptions, textOf } from './command.ts';

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
  toolsets: setting({
    env: 'ROADSTEAD_MCP_TOOLSETS',
    doc: 'Toolsets that `roadstead mcp` serves, separated by commas: their names, `all` or `default`.',
    schema: z.string().default('default'),
  }),
};

export const mcp: Command = {
  name: 'mcp',
  operands: '',
  summary: 'Serve the MCP tools over standard input and output, for a local MCP client.',
  options: {
    toolsets: {
      type: 'string',
      value: 'NAMES',
      doc: 'toolsets to serve (ROADSTEAD_MCP_TOOLSETS, else default)',
    },
    ...targetOptions,
  },
  run: async ({ values }) => {
    const { namedToolsets, serveStdio } = await import('@roadstead/mcp-server');
    const config = readConfig(mcpSettings);
    const toolsets = namedToolsets(textOf(values['toolsets']) ?? config.toolsets);
    await serveStdio({
      endpoint: config.endpoint ?? `${platformUrl(values)}/api`,
      api_key: config.api_key ?? (await findTarget(values)).api_key,
      toolsets,
      ...(config.workspace_id === undefined ? {} : { workspace_id: config.workspace_id }),
    });
    return 0;
  },
};
