import type { Command } from '../command-line/command.ts';

export const up: Command = {
  name: 'up',
  operands: '',
  summary: 'Start the platform: control plane, agents, traces and MCP server at one address.',
  options: {
    example: { type: 'boolean', doc: 'deploy the example agents, once per data folder' },
    'no-next-steps': { type: 'boolean', doc: 'print only that it is ready' },
  },
  examples: [
    { call: 'up', does: 'starts the platform here; Ctrl-C stops it' },
    { call: 'up --example', does: 'and deploys the example agents' },
  ],
  // Only this command loads the services.
  run: async (call) => (await import('../platform/run-platform.ts')).runPlatform(call),
};
