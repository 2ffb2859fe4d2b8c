import { readPlatform } from '../doctor/doctor-platform.ts';
import { readProject } from '../doctor/doctor-project.ts';
import type { Finding } from '../doctor/finding.ts';
import { findingsOf } from '../doctor/doctor-rules.ts';
import { requireFolder } from '../deployments/project-config.ts';
import { safeJson } from '../terminal/safe-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Command, targetOptions, textOf } from '../command-line/command.ts';

export const doctor: Command = {
  name: 'doctor',
  operands: '[DIR]',
  summary:
    'Say what is wrong with this machine, with the platform and with a project, and what to do about it.',
  options: {
    config: {
      type: 'string',
      value: 'PATH',
      doc: 'graph configuration file (langgraph.json)',
      completes: 'files',
    },
    ...targetOptions,
  },
  examples: [
    { call: 'doctor', does: 'and of the project that one is in' },
    { call: 'doctor agents/support --json', does: 'as JSON: a list of findings' },
  ],
  completes: { '[DIR]': 'folders' },
  run: async ({ operands: [dir], values, terminal }) => {
    const folder = await requireFolder(dir ?? '.');
    // Settings of all services, and what looks for Pythons: other commands don't need them.
    const { inheritedEnvironment } = await import('../platform/platform-config.ts');
    const { readMachine } = await import('../doctor/doctor-machine.ts');
    const [machine, platform, project] = await Promise.all([
      readMachine(inheritedEnvironment()),
      readPlatform(values),
      readProject(folder, textOf(values['config']) ?? 'langgraph.json'),
    ]);
    const findings = findingsOf({ machine, platform, project });
    if (values['json'] === true) terminal.out(safeJson(findings));
    else for (const line of linesOf(findings, terminal)) terminal.out(line);
    return findings.some(({ level }) => level === 'wrong') ? 1 : 0;
  },
};

function linesOf(findings: readonly Finding[], terminal: Terminal): string[] {
  const marks = { fine: terminal.green('✓'), warning: terminal.bold('!'), wrong: terminal.red('✗') };
  const wrong = findings.filter(({ level }) => level === 'wrong').length;
  return [
    ...findings.flatMap(({ level, what, fix }, at) => [
      ...(findings[at - 1]?.about === findings[at]?.about ? [] : [terminal.bold(findings[at]?.about ?? '')]),
      `  ${marks[level]} ${what}`,
      ...(fix === undefined ? [] : [`    ${terminal.dim(fix)}`]),
    ]),
    wrong === 0 ? 'Nothing is wrong.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`,
  ];
}
