import { kits, type TestResult } from './kits.ts';
import { type Verdict, verdictOf } from './verdicts.ts';

/** What came of the kits, as a page. */

type FailedTest = TestResult & { readonly verdict: Verdict | undefined };

export interface Score {
  readonly passed: number;
  /** Those that passed or failed. */
  readonly ran: number;
  readonly missed: readonly FailedTest[];
  readonly skipped: readonly TestResult[];
}

export function scoreOf(results: readonly TestResult[]): Score {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  const missed = results
    .filter(({ outcome }) => outcome === 'failed')
    .map((result) => ({ ...result, verdict: verdictOf(result) }));
  return {
    passed,
    ran: passed + missed.length,
    missed,
    skipped: results.filter(({ outcome }) => outcome === 'skipped'),
  };
}

const suite = '`a2a/requirements.test.ts` of the agent server';
const untested: readonly (readonly [string, string])[] = [
  ['AUTH-SERVER-002', suite],
  ['AUTH-SCOPE-001, 002, 003', `${suite}; with a deployment’s own \`auth\`, \`access/\``],
  ['AUTH-INTASK-001, 002, 003, 006', suite],
  ['AUTH-INTASK-004', 'a graph’s matter: `docs/a2a-words.md` says how it asks'],
  ['AUTH-INTASK-005', 'a stream ends where a task asks, and is taken up again by the task’s id'],
  ['AUTH-TLS-001, 002', 'who answers HTTPS in front of the platform'],
  ['AUTH-SERVER-001, CARD-SIGN-004, VER-CLIENT-001', 'of clients'],
  ['BIND-EQUIV-001 to 004, GRPC-SVC-003', 'of servers with several bindings; this one has JSON-RPC'],
  [
    'CARD-SIGN-001, 002, 003',
    '`a2a/card-words.test.ts`, and by the official clients `a2a/clients-elsewhere.proof.test.ts`',
  ],
  ['VER-SERVER-001, VER-CLIENT-002', suite],
];

const inTable = (text: string) =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('`', '').slice(0, 300).trim();
const nameOf = (test: string) => test.replace(/^tests\//, '');

export function pageOf(results: readonly TestResult[]): string {
  return [
    '# Conformance to A2A',
    '',
    'The compatibility kits of A2A, both branches of `a2aproject/a2a-tck`, run by JSON-RPC against a platform as `npm start` starts',
    'it, with the agent `test/agents/tck`. A plugin of pytest adds the key, which the kits do not know, and gives each message an',
    'id of its own. Written by `npm run conformance:a2a -- --kits DIR --write`, where `DIR` is a clone of that repository. What the',
    'kits leave out stands at the end, by the ids of the requirements.',
    '',
    '| kit | suite | passed | failed | skipped |',
    '| --- | --- | --- | --- | --- |',
    ...kits.flatMap(({ version, branch, commit, suites }) =>
      Object.entries(suites).map(([folder, name]) => {
        const of_it = results.filter((one) => one.version === version && one.test.startsWith(folder));
        const count = (outcome: TestResult['outcome']) =>
          of_it.filter((one) => one.outcome === outcome).length;
        const kit = `${branch} at \`${commit.slice(0, 12)}\``;
        return `| ${kit} | ${name} | ${count('passed')} | ${count('failed')} | ${count('skipped')} |`;
      }),
    ),
    '',
    ...kits.flatMap(({ version, branch }) => sectionsOf(results, { version, branch })),
    '## What the kit of 1.0 lists and does not test',
    '',
    '| requirement | here |',
    '| --- | --- |',
    ...untested.map(([ids, where]) => `| ${ids} | ${where} |`),
    '',
  ].join('\n');
}

/** The names of tests, or their number where there are many, as there are of other bindings. */
const someOf = (tests: readonly TestResult[]) =>
  tests.length > 5 ? `${tests.length} tests` : tests.map(({ test }) => `\`${nameOf(test)}\``).join(', ');

function sectionsOf(
  results: readonly TestResult[],
  { version, branch }: { readonly version: TestResult['version']; readonly branch: string },
): string[] {
  const { missed, skipped } = scoreOf(results.filter((one) => one.version === version));
  return [
    `## ${branch}: what does not pass`,
    '',
    ...(missed.length === 0 ? ['Nothing.'] : ['| test | whose | verdict |', '| --- | --- | --- |']),
    ...missed.map(
      ({ test, message, verdict }) =>
        `| \`${nameOf(test)}\` | ${verdict?.whose ?? '?'} | ${inTable(verdict?.sentence ?? message)} |`,
    ),
    '',
    `## ${branch}: what the kit skips`,
    '',
    ...(skipped.length === 0 ? ['Nothing.'] : ['| why | tests |', '| --- | --- |']),
    ...[...Map.groupBy(skipped, ({ message }) => inTable(message.replace(/^Skipped: /, '')))].map(
      ([why, tests]) => `| ${why} | ${someOf(tests)} |`,
    ),
    '',
  ];
}
