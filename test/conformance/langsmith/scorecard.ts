import { type Explanation, explanationOf } from './explanations.ts';
import { SUITE_COMMIT, type TestResult } from './suites.ts';

/** What came of the suites, as a page. */

export interface Score {
  readonly passed: number;
  /** Those that can pass here: without what needs a model, the hosted service, or what the suite itself skips. */
  readonly possible: number;
  readonly missed: readonly (TestResult & { readonly why: Explanation | undefined })[];
  readonly impossible: readonly (TestResult & { readonly why: string })[];
}

export function scoreOf(results: readonly TestResult[]): Score {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  const others = results
    .filter(({ outcome }) => outcome !== 'passed')
    .map((result) => ({ ...result, why: explanationOf(result) }));
  const impossible = others.flatMap((result) => {
    if (result.outcome === 'skipped')
      return [{ ...result, why: `skipped by the suite: ${result.message || 'no reason given'}` }];
    return result.why?.possible === false ? [{ ...result, why: result.why.sentence }] : [];
  });
  const missed = others.filter((result) => result.outcome === 'failed' && result.why?.possible !== false);
  return { passed, possible: passed + missed.length, missed, impossible };
}

const names = { js: 'JavaScript', python: 'Python' } as const;
const inTable = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 300);

export function pageOf(
  results: readonly TestResult[],
  { answers, versions }: { readonly answers: ReadonlyMap<string, number>; readonly versions: string },
): string {
  const languages = (['js', 'python'] as const).filter((one) => results.some((r) => r.language === one));
  const scores = new Map(languages.map((one) => [one, scoreOf(results.filter((r) => r.language === one))]));
  const refused = [...answers].filter(([route]) => route.startsWith('501 '));
  const lines = [
    '# Conformance to the LangSmith SDKs',
    '',
    `The SDKs' own integration suites, at commit \`${SUITE_COMMIT.slice(0, 12)}\` of their repository, run with released packages`,
    `(${versions}) against a platform as \`npm start\` starts it. Written by \`npm run conformance:langsmith -- --suite DIR --write\`,`,
    'where `DIR` is a checkout of that repository.',
    '',
    '| suite | passed | of those possible | not possible here |',
    '| --- | --- | --- | --- |',
    ...[...scores].map(
      ([language, { passed, possible, impossible }]) =>
        `| ${names[language]} | ${passed} | ${possible} (${possible === 0 ? 0 : Math.round((1000 * passed) / possible) / 10} %) | ${impossible.length} |`,
    ),
    '',
    `Requests answered 501: ${refused.length === 0 ? 'none' : refused.map(([route, count]) => `\`${route.slice(4)}\` (${count})`).join(', ')}.`,
    '',
    '## Missed',
    '',
    ...table(
      [...scores.values()].flatMap(({ missed }) => missed),
      (result) => result.why?.sentence ?? `not explained: ${result.message}`,
    ),
    '',
    '## Not possible here',
    '',
    ...table(
      [...scores.values()].flatMap(({ impossible }) => impossible),
      ({ why }) => why,
    ),
    '',
  ];
  return lines.join('\n');
}

function table<R extends TestResult>(results: readonly R[], why: (result: R) => string): string[] {
  if (results.length === 0) return ['None.'];
  return [
    '| test | why |',
    '| --- | --- |',
    ...results.map((result) => `| \`${result.file}\` ${inTable(result.name)} | ${inTable(why(result))} |`),
  ];
}
