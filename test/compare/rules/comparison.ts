import type { Answer, Call, Scenario } from '../calls/call.ts';
import { type Difference, differencesOf } from './differences.ts';
import { normalAnswers } from './normal.ts';
import { reasons } from './reasons.ts';
import type { Reason } from './reasons/reason.ts';

/** Every call of both servers by one SDK, with what differs. Pure. */

export type Sdk = 'Python' | 'JavaScript';

export interface ComparedCall {
  readonly sdk: Sdk;
  readonly scenario: string;
  readonly place: number;
  readonly call: Call;
  readonly differences: readonly (Difference & { readonly reason: Reason | undefined })[];
}

export interface Answers {
  readonly theirs: readonly (readonly Answer[])[];
  readonly ours: readonly (readonly Answer[])[];
}

export function compareCalls(
  sdk: Sdk,
  scenarios: readonly Scenario[],
  { theirs, ours }: Answers,
): ComparedCall[] {
  return scenarios.flatMap(({ name, calls }, of) => {
    const [there, here] = [theirs, ours].map((answers) => normalAnswers(calls, answers[of] ?? [])) as [
      Answer[],
      Answer[],
    ];
    return calls.map((call, place) => {
      const [one, other] = [there[place], here[place]];
      if (one === undefined || other === undefined) throw new Error(`${name}: call ${place} has no answer`);
      const differences = differencesOf(one, other).map((difference) => ({
        ...difference,
        reason: reasonOf({ scenario: name, call, difference }),
      }));
      return { sdk, scenario: name, place, call, differences };
    });
  });
}

interface DifferenceOfCall {
  readonly scenario: string;
  readonly call: Call;
  readonly difference: Difference;
}

function reasonOf({ scenario, call, difference }: DifferenceOfCall): Reason | undefined {
  return reasons.find(
    (reason) =>
      (reason.scenario?.test(scenario) ?? true) &&
      (reason.method?.test(call.method) ?? true) &&
      reason.path.test(difference.path) &&
      (reason.fits?.(difference) ?? true),
  );
}
