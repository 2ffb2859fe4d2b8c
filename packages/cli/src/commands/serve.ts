import type { runService } from '@roadstead/service';
import type { Command } from '../command-line/command.ts';

/** Each service is loaded when it is started. */
const services: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  identity: async (args) => run((await import('@roadstead/identity')).identityProgram, args),
  'control-plane': async (args) => run((await import('@roadstead/control-plane')).controlPlaneProgram, args),
  observability: async (args) => run((await import('@roadstead/observability')).observabilityProgram, args),
  'mcp-server': async (args) => run((await import('@roadstead/mcp-server')).mcpServerProgram, args),
  'data-plane': async (args) => (await import('@roadstead/data-plane')).runDataPlane(args),
  edge: async (args) => run((await import('../platform/edge-program.ts')).edgeProgram, args),
};

const run: typeof runService = async (program, args) =>
  (await import('@roadstead/service')).runService(program, args);

export const serve: Command = {
  name: 'serve',
  operands: Object.keys(services).join(' | '),
  summary: 'Start one service alone; the environment configures it.',
  options: { settings: { type: 'boolean', doc: 'show the variables that it reads' } },
  examples: [
    { call: 'serve identity --settings', does: 'shows what it reads' },
    { call: 'serve edge', does: 'starts the one origin of services elsewhere' },
  ],
  run: async ({ operands: [name = ''], values }) =>
    (await services[name]?.(values['settings'] === true ? ['--help'] : [])) ?? 2,
};
