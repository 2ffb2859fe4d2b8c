import { spawn } from 'node:child_process';
import { access, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { aboutModels, packages, type TestResult } from './suites.ts';
import { command, type SuiteOptions } from './suite-process.ts';

/** The Python suite against the released package, in an environment of its own. */
export async function runPythonSuite(options: SuiteOptions): Promise<TestResult[]> {
  const folder = join(options.folder, 'python');
  await mkdir(folder, { recursive: true });
  const python = join(folder, 'venv', 'bin', 'python');
  const isMade = await access(python).then(
    () => true,
    () => false,
  );
  if (!isMade) await command(['python3', '-m', 'venv', 'venv'], folder);
  await command([python, '-m', 'pip', 'install', '--quiet', ...packages.python], folder);
  for (const name of ['tests', 'conftest.py', 'pyproject.toml'])
    await cp(join(options.suite, 'python', name), join(folder, name), { recursive: true });
  const report = join(folder, 'report.jsonl');
  await rm(report, { force: true });
  await runPytest(folder, { ...options, python, report });
  const lines = (await readFile(report, 'utf8')).trim().split('\n');
  return resultsOf(lines.map((line) => JSON.parse(line) as ReportLine));
}

function runPytest(
  folder: string,
  options: SuiteOptions & { readonly python: string; readonly report: string },
): Promise<void> {
  const ignored = aboutModels.python.map((name) => `--ignore=tests/integration_tests/${name}`);
  const more = options.pattern === undefined ? [] : ['-k', options.pattern];
  const child = spawn(
    options.python,
    [
      '-m',
      'pytest',
      'tests/integration_tests',
      '-q',
      '--runslow',
      '--report-log',
      options.report,
      ...ignored,
      ...more,
    ],
    { cwd: folder, env: options.env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child.stdout.pipe(process.stderr, { end: false });
  return new Promise((done, failed) => child.once('exit', () => done()).once('error', failed));
}

/** A line of `pytest-reportlog`; of all kinds, those of tests and of files that could not be read are used. */
interface ReportLine {
  readonly $report_type: string;
  readonly nodeid?: string;
  readonly when?: string;
  readonly outcome?: string;
  readonly longrepr?: unknown;
}

function resultsOf(lines: readonly ReportLine[]): TestResult[] {
  const results = new Map<string, TestResult>();
  for (const line of lines) {
    const isBroken = line.$report_type === 'CollectReport' && line.outcome === 'failed';
    if (line.nodeid === undefined || !(line.$report_type === 'TestReport' || isBroken)) continue;
    const [file = '', ...name] = line.nodeid.split('::');
    const { outcome } = line;
    if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') continue;
    const before = results.get(line.nodeid);
    // A test is set up, called and taken down; it passed when all of that did.
    if (before !== undefined && outcome === 'passed') continue;
    results.set(line.nodeid, {
      language: 'python',
      file: file.replace('tests/integration_tests/', ''),
      name: name.join('::') || '(the whole file)',
      outcome,
      message: messageOf(line.longrepr),
    });
  }
  return [...results.values()];
}

function messageOf(report: unknown): string {
  if (Array.isArray(report)) return String(report.at(-1));
  if (typeof report === 'string') return report.trim().split('\n').at(-1) ?? '';
  const crash = (report as { reprcrash?: { message?: string } } | null | undefined)?.reprcrash;
  return crash?.message?.split('\n', 1)[0] ?? '';
}
