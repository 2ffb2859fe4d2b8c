import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { aboutModels, packages, type TestResult } from './suites.ts';
import { command, type SuiteOptions } from './suite-process.ts';

/** The JavaScript suite against the released package: what the tests import by relative path is found in what users install. */
export async function runJsSuite(options: SuiteOptions): Promise<TestResult[]> {
  const folder = join(options.folder, 'js');
  const tests = join(folder, 'src', 'tests');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages.js }),
  );
  await writeFile(join(folder, 'jest.config.json'), JSON.stringify(jestConfig));
  await command(
    ['npm', 'install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error'],
    folder,
  );
  await cp(join(options.suite, 'js', 'src', 'tests'), tests, { recursive: true });
  await importPackage(tests);
  const report = join(folder, 'report.json');
  await runJest(folder, { ...options, report });
  return resultsOf(JSON.parse(await readFile(report, 'utf8')) as JestReport, tests);
}

/** What the tests import from the sources above their folder is found in the package. */
async function importPackage(tests: string): Promise<void> {
  for (const name of await readdir(tests, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const source = await readFile(join(tests, name), 'utf8');
    const up = '\\.\\./'.repeat(name.split(sep).length);
    const imports = new RegExp(`(["'])${up}(\\w[\\w./-]*)\\.js\\1`, 'g');
    await writeFile(join(tests, name), source.replaceAll(imports, '$1langsmith/lib/$2.mjs$1'));
  }
}

const jestConfig = {
  preset: 'ts-jest/presets/default-esm',
  testEnvironment: 'node',
  testMatch: ['**/src/tests/**/*.int.test.ts'],
  testPathIgnorePatterns: aboutModels.js.map((name) => `/src/tests/${name}`),
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.tsx?$': [
      'ts-jest',
      {
        useESM: true,
        diagnostics: false,
        tsconfig: {
          module: 'ESNext',
          moduleResolution: 'bundler',
          target: 'ES2022',
          esModuleInterop: true,
          isolatedModules: true,
        },
      },
    ],
  },
};

function runJest(folder: string, options: SuiteOptions & { readonly report: string }): Promise<void> {
  const args = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--json'];
  const more = options.pattern === undefined ? [] : ['--testNamePattern', options.pattern];
  const child = spawn(
    process.execPath,
    [...args, '--outputFile', options.report, '--testTimeout', '100000', '--maxWorkers', '2', ...more],
    { cwd: folder, env: options.env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child.stderr.pipe(process.stderr, { end: false });
  return new Promise((done, failed) => child.once('exit', () => done()).once('error', failed));
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function resultsOf(report: JestReport, tests: string): TestResult[] {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = name.slice(tests.length + 1);
    const at = { language: 'js', file } as const;
    if (assertionResults.length === 0)
      return [{ ...at, name: '(the whole file)', outcome: 'failed' as const, message: firstLine(message) }];
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      ...at,
      name: fullName,
      outcome: status === 'passed' || status === 'failed' ? status : ('skipped' as const),
      message: [firstLine(failureMessages[0] ?? ''), ...causeOf(message, fullName)].join(': '),
    }));
  });
}

/** What jest shows below an error that another one caused. */
function causeOf(message: string, fullName: string): string[] {
  const [, section = ''] = stripVTControlCharacters(message).split(`● ${fullName}\n`, 2);
  const cause = /Cause:\s*\n\s*(?<text>.+)/.exec(section.split('\n  ● ', 1)[0] ?? '')?.groups?.['text'];
  return cause === undefined ? [] : [cause.trim()];
}

const firstLine = (text: string) => stripVTControlCharacters(text).trim().split('\n', 1)[0] ?? '';
