import type { Command } from '../command-line/command.ts';

export const migrate: Command = {
  name: 'migrate',
  operands: '',
  summary:
    'Bring the databases of DATABASE_URL and TRACES_DATABASE_URL to this version, before services start; they do so, too.',
  options: {},
  examples: [{ call: 'migrate', does: 'before an upgrade of services elsewhere' }],
  // Only this command loads the schemas of all services.
  run: async ({ terminal }) => {
    const { runMigrations } = await import('../platform/run-migrations.ts');
    await runMigrations((line) => terminal.progress(line));
    return 0;
  },
};
