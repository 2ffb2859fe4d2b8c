import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOptions, endForUse } from '@roadstead/testing/processes';
import { dataHome, startPlatform } from '../../support/platform.ts';
import { runJsSuite } from './js-suite.ts';
import { runPythonSuite } from './python-suite.ts';
import { startRecorder } from './recorder.ts';
import { pageOf, scoreOf } from './scorecard.ts';
import { command, type SuiteOptions } from './suite-process.ts';
import { type Language, packages, SUITE_COMMIT, type TestResult } from './suites.ts';

const usage = `npm run conformance:langsmith -- --suite DIR [options]

  --suite DIR        a checkout of the LangSmith SDK's repository at ${SUITE_COMMIT.slice(0, 12)}
  --language NAME    only js or python
  --tests PATTERN    only tests whose name fits (jest's --testNamePattern, pytest's -k)
  --folder DIR       where packages are installed (default: a folder of the system's temporary files)
  --url, --key       a platform that runs already, instead of one of its own
  --write            write docs/conformance.md
`;

const runners: Readonly<Record<Language, (options: SuiteOptions) => Promise<TestResult[]>>> = {
  js: runJsSuite,
  python: runPythonSuite,
};

const { values } = commandOptions(usage, {
  options: {
    suite: { type: 'string' },
    language: { type: 'string' },
    tests: { type: 'string' },
    folder: { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (values.suite === undefined) endForUse('--suite DIR is missing.', usage);
const suite = resolve(values.suite);
const commit = (await command(['git', 'rev-parse', 'HEAD'], suite)).trim();
if (commit !== SUITE_COMMIT)
  throw new Error(`${suite} stands at ${commit}; check out ${SUITE_COMMIT}, whose tests are explained here.`);

await using stack = new AsyncDisposableStack();
const { url, key } = await target();
const recorder = stack.use(await startRecorder(url));
const folder = values.folder ?? join(tmpdir(), 'roadstead-conformance');
await mkdir(folder, { recursive: true });
const env = environment({ endpoint: `${recorder.url}/api`, key });
const languages = (['js', 'python'] as const).filter((one) => (values.language ?? one) === one);
const results: TestResult[] = [];
for (const language of languages)
  results.push(...(await runners[language]({ suite, folder, pattern: values.tests, env })));

const versions = `JavaScript ${packages.js.langsmith}, Python ${packages.python[0].split('==').at(-1)}`;
const page = pageOf(results, { answers: recorder.answers, versions });
const pagePath = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
if (values.write) await writeFile(pagePath, page);
const { passed, possible, missed } = scoreOf(results);
for (const { file, name, message, why } of missed)
  process.stdout.write(`missed: ${file} › ${name}: ${why?.sentence ?? message}\n`);
for (const [route, count] of recorder.answers)
  if (/^(501|5|404)/.test(route)) process.stdout.write(`${count} × ${route}\n`);
process.stdout.write(`${passed} of ${possible} possible tests pass\n`);
if (missed.some(({ why }) => why === undefined)) process.exitCode = 1;

async function target(): Promise<{ url: string; key: string }> {
  if (values.url !== undefined) return { url: values.url, key: values.key ?? '' };
  const home = stack.use(await dataHome());
  return stack.use(await startPlatform(home.path, { env: { ROADSTEAD_PUBLIC_SHARING: 'true' } }));
}

/** The suites read either family of names. A key of a provider is only looked at; no model is reached. */
function environment({ endpoint, key: api_key }: { endpoint: string; key: string }): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(LANGSMITH|LANGCHAIN|NODE_OPTIONS)/.test(name),
  );
  return {
    ...Object.fromEntries(clean),
    LANGSMITH_ENDPOINT: endpoint,
    LANGCHAIN_ENDPOINT: endpoint,
    LANGSMITH_API_KEY: api_key,
    LANGCHAIN_API_KEY: api_key,
    LANGSMITH_TRACING: 'true',
    // Share links of datasets that only the hosted service has.
    LANGSMITH_TEST_EXCLUDE_MARKERS: 'require_beta_dataset',
    LANGSMITH_TEST_CACHE: 'tests/cassettes',
    OPENAI_API_KEY: 'none',
    ANTHROPIC_API_KEY: 'none',
    GOOGLE_API_KEY: 'none',
  };
}
