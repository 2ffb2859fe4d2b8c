import type { ComparedCall } from './rules/comparison.ts';
import type { Difference } from './rules/differences.ts';
import { reasons } from './rules/reasons.ts';
import type { Reason } from './rules/reasons/reason.ts';
import { packages } from './servers/original.ts';

/** What came of a comparison, as a page. */

export interface UnexplainedDifference {
  readonly call: string;
  readonly difference: Difference;
}

export const unexplained = (calls: readonly ComparedCall[]): UnexplainedDifference[] =>
  calls.flatMap((call) =>
    call.differences
      .filter(({ reason }) => reason === undefined)
      .map(({ path, theirs, ours }) => ({ call: nameOf(call), difference: { path, theirs, ours } })),
  );

/** Reasons that no answer needs: they are to be removed. */
export function unusedReasons(calls: readonly ComparedCall[]): Reason[] {
  const used = new Set(calls.flatMap(({ differences }) => differences.map(({ reason }) => reason)));
  return reasons.filter((reason) => !used.has(reason));
}

const nameOf = ({ sdk, scenario, place, call }: ComparedCall) =>
  `${sdk}, ${scenario}, call ${place + 1} (${call.method})`;

export function pageOf(calls: readonly ComparedCall[]): string {
  const same = calls.filter(({ differences }) => differences.length === 0).length;
  const without = unexplained(calls);
  const used = reasons.filter((reason) => !unusedReasons(calls).includes(reason));
  const versions = packages.map((one) => `\`${one.replace('==', '` ')}`).join(', ');
  return [
    '# Differences from `langgraph dev`',
    '',
    `Written by \`npm run compare:langgraph\`. It runs the same projects in Python, with ten graphs, auth and an app of their own,`,
    `in \`langgraph dev\` (${versions}) and in a platform`,
    'as `npm start` starts it, with `ROADSTEAD_EXPOSE_ERRORS=true`. Both are asked the same by the SDKs in Python and JavaScript.',
    'Ids, instants and hashes have names; everything else of each answer is compared.',
    '',
    '| SDK | calls | the same in every field | with differences that have a reason | without |',
    '| --- | --- | --- | --- | --- |',
    ...(['Python', 'JavaScript'] as const).map((sdk) =>
      rowOf(
        sdk,
        calls.filter((call) => call.sdk === sdk),
      ),
    ),
    '',
    `${same} of ${calls.length} answers are the same in every field.`,
    '',
    ...sectionOf('## Differences', { calls, reasons: used.filter(({ is_fault = false }) => !is_fault) }),
    ...sectionOf('## To be mended here', { calls, reasons: used.filter(({ is_fault = false }) => is_fault) }),
    ...(without.length === 0 ? [] : ['## Without a reason', '', ...without.map(lineOf), '']),
  ].join('\n');
}

interface SectionContent {
  readonly calls: readonly ComparedCall[];
  readonly reasons: readonly Reason[];
}

function sectionOf(title: string, { calls, reasons: shownReasons }: SectionContent): string[] {
  if (shownReasons.length === 0) return [];
  return [
    title,
    '',
    '| the original | here | why | answers |',
    '| --- | --- | --- | --- |',
    ...shownReasons.map(
      (reason) => `| ${reason.there} | ${reason.here} | ${reason.why} | ${countOf(calls, reason)} |`,
    ),
    '',
  ];
}

function rowOf(sdk: string, calls: readonly ComparedCall[]): string {
  const same = calls.filter(({ differences }) => differences.length === 0).length;
  const open = calls.filter(({ differences }) =>
    differences.some(({ reason }) => reason === undefined),
  ).length;
  return `| ${sdk} | ${calls.length} | ${same} | ${calls.length - same - open} | ${open} |`;
}

const countOf = (calls: readonly ComparedCall[], reason: Reason) =>
  calls.filter(({ differences }) => differences.some((one) => one.reason === reason)).length;

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300);

export const lineOf = ({ call, difference: { path, theirs, ours } }: UnexplainedDifference) =>
  `- ${call}: \`${path}\` is \`${shown(theirs)}\` there and \`${shown(ours)}\` here`;
