import { z } from 'zod';
import { type Config, Problem, readConfig, setting } from '@roadstead/kit';
import { findTarget, platformUrl } from '../target/target.ts';
import { type Command, type CommandCall, targetOptions, textOf } from '../command-line/command.ts';

/** Each setting also has the name that LangSmith's own server uses. */
export const mcpSettings = {
  api_key: setting({
    env: 'SERVICE_API_KEY',
    aliases: ['LANGSMITH_API_KEY'],
    doc: 'API key for `roadstead mcp` over standard input and output; over HTTP each request has its own.',
    schema: z.string().optional(),
    shown_default: 'as for every command',
  }),
  endpoint: setting({
    env: 'SERVICE_ENDPOINT',
    aliases: ['LANGSMITH_ENDPOINT'],
    doc: 'LangSmith-compatible address that `roadstead mcp` reads.',
    schema: z.url().optional(),
    shown_default: '{ROADSTEAD_URL}/api',
  }),
  workspace_id: setting({
    env: 'SERVICE_WORKSPACE_ID',
    aliases: ['LANGSMITH_WORKSPACE_ID'],
    doc: 'Workspace, where the key reaches several.',
    schema: z.string().optional(),
  }),
  toolsets: setting({
    env: 'ROADSTEAD_MCP_TOOLSETS',
    doc: 'Toolsets that `roadstead mcp` serves, separated by commas: their names, `all` or `default`. Over HTTP also the most that a request may name by X-MCP-Toolsets.',
    schema: z.string().optional(),
    shown_default: '`default`',
  }),
  endpoints: setting({
    env: 'ROADSTEAD_MCP_ENDPOINTS',
    doc: 'Other addresses that requests to `roadstead mcp --http` may name by the header SERVICE-ENDPOINT, separated by commas.',
    schema: z
      .string()
      .default('')
      .transform((text) => text.split(',').filter((one) => one !== '')),
  }),
};

const DEFAULT_PORT = 8000;
const Port = z.coerce.number().int().min(0).max(65_535);

export const mcp: Command = {
  name: 'mcp',
  operands: '',
  summary:
    'Serve the MCP tools over standard input and output, for a local MCP client; or over HTTP, for many.',
  options: {
    toolsets: {
      type: 'string',
      value: 'NAMES',
      doc: 'toolsets to serve (ROADSTEAD_MCP_TOOLSETS, else default)',
    },
    http: { type: 'boolean', doc: 'serve over HTTP at /mcp; each request brings its own API key' },
    host: { type: 'string', value: 'HOST', doc: 'http: address to listen on (127.0.0.1)' },
    port: {
      type: 'string',
      value: 'PORT',
      doc: `http: port to listen on, 0 for a free one (${DEFAULT_PORT})`,
    },
    'allow-root': { type: 'boolean', doc: 'http: start even as root' },
    ...targetOptions,
  },
  examples: [
    { call: 'mcp', does: 'for a local MCP client' },
    { call: 'mcp --http --port 8000', does: 'for many, each with a key of its own' },
  ],
  run: async (call) => {
    const config = readConfig(mcpSettings);
    return call.values['http'] === true ? serveOverHttp(config, call) : serveOverStdio(config, call);
  },
};

async function serveOverStdio(config: Config<typeof mcpSettings>, { values }: CommandCall): Promise<number> {
  const { serveStdio } = await import('@roadstead/mcp-server');
  await serveStdio({
    endpoint: config.endpoint ?? `${await platformUrl(values)}/api`,
    api_key: config.api_key ?? (await findTarget(values)).api_key,
    ...(await toolsetsOf(config, values)),
    ...(config.workspace_id === undefined ? {} : { workspace_id: config.workspace_id }),
  });
  return 0;
}

async function serveOverHttp(
  config: Config<typeof mcpSettings>,
  { values, terminal }: CommandCall,
): Promise<number> {
  const { serveHttp } = await import('@roadstead/mcp-server');
  await serveHttp({
    host: textOf(values['host']) ?? '127.0.0.1',
    port: readPort(textOf(values['port'])),
    endpoint: config.endpoint ?? `${await platformUrl(values)}/api`,
    allowed_endpoints: config.endpoints,
    ...(await toolsetsOf(config, values)),
    allow_root: values['allow-root'] === true,
    onReady: (port) => terminal.out(JSON.stringify({ ready: true, port })),
  });
  return 0;
}

async function toolsetsOf(
  { toolsets }: Config<typeof mcpSettings>,
  values: CommandCall['values'],
): Promise<{ readonly toolsets?: readonly string[] }> {
  const { namedToolsets } = await import('@roadstead/mcp-server');
  const named = textOf(values['toolsets']) ?? toolsets;
  return named === undefined ? {} : { toolsets: namedToolsets(named) };
}

function readPort(text: string | undefined): number {
  const port = Port.safeParse(text ?? DEFAULT_PORT);
  if (!port.success) throw new Problem('invalid', '--port must be a number from 0 to 65535.');
  return port.data;
}
