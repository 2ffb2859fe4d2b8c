import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HeldAssignment, type InstanceState, planDeal } from './deal-rules.ts';

const serving = (name: string): InstanceState => ({ name, fence: 1, is_live: true, is_draining: false });
const draining = (name: string) => ({ ...serving(name), is_draining: true });
const dead = (name: string) => ({ ...serving(name), is_live: false });
/** `one@a>b`: `a` has it and `b` takes it over; `one` alone, nobody has it; with `!`, something of it is under way; with `+`, it has a host. */
function held(text: string): HeldAssignment {
  const [, deployment_id = '', mark, instance = null, next_instance = null] =
    /^(\w+)([!+])?(?:@(\w*))?(?:>(\w+))?$/.exec(text) ?? [];
  return {
    deployment_id,
    instance,
    next_instance,
    is_settled: mark !== '!',
    hosts: mark === '+' ? 1 : 0,
  };
}

test.each<[string, InstanceState[], string, string]>([
  ['new ones go to those with the fewest', [serving('a'), serving('b')], 'x@a y z', 'y→b z→a'],
  ['the only instance has all', [serving('')], 'x y', 'x→ y→'],
  ['what a dead one had is taken', [dead('a'), serving('b')], 'x@a y@b', 'x→b'],
  ['the one that was to take over takes it', [dead('a'), serving('b'), serving('c')], 'x@a>c', 'x→c'],
  ['nobody takes: all stays', [dead('a')], 'x@a', ''],
  ['what nobody has waits for one that takes', [draining('a')], 'x', ''],
  ['one that drains is relieved', [draining('a'), serving('b')], 'x@a y@a', 'x…b y…b'],
  ['a move under way is left alone', [draining('a'), serving('b')], 'x@a>b', ''],
  ['its new holder went', [draining('a'), dead('b'), serving('c')], 'x@a>b', 'x…c'],
  ['its new holder went, and nobody is left', [draining('a'), dead('b')], 'x@a>b', 'x…nobody'],
  ['its new holder drains, and the old one serves', [serving('a'), draining('b')], 'x@a>b', 'x…nobody'],
  ['one that joins gets half', [serving('a'), serving('b')], 'w@a x@a y@a z@a', 'w…b x…b'],
  ['by one more is even', [serving('a'), serving('b')], 'x@a y@a z@b', ''],
  ['what is busy does not move', [serving('a'), serving('b')], 'x!@a y!@a z@a', 'z…b'],
  [
    'one has no name, then nothing moves to it, nor from it',
    [serving(''), serving('b'), draining('c')],
    'w@ x@ y@ z@c',
    'z…b',
  ],
  ['one without a name dies, then others take what it had', [dead(''), serving('b')], 'x@ y@', 'x→b y→b'],
  ['what has no host moves first', [serving('a'), serving('b')], 'x+@a y+@a z@a', 'z…b'],
  ['four at a time', [serving('a'), serving('b')], 'm@a>b n@a>b o@a>b p@a q@a r@a s@a t@a', 'p…b'],
])('when %s', (_what, instances, assignments, expected) => {
  const { takes, moves } = planDeal(instances, assignments.split(' ').map(held));
  const told = [
    ...takes.map((one) => `${one.deployment_id}→${one.instance}`),
    ...moves.map((one) => `${one.deployment_id}…${one.next_instance ?? 'nobody'}`),
  ];
  expect(told.join(' ')).toBe(expected);
});

/** The assignments once every step of a deal was taken. */
function after(assignments: readonly HeldAssignment[], deal: ReturnType<typeof planDeal>): HeldAssignment[] {
  const takes = new Map(deal.takes.map((one) => [one.deployment_id, one.instance]));
  const moves = new Map(deal.moves.map((one) => [one.deployment_id, one.next_instance]));
  return assignments.map((one) => {
    const { deployment_id } = one;
    const to = takes.get(deployment_id) ?? moves.get(deployment_id) ?? one.next_instance;
    return { ...one, instance: to ?? one.instance, next_instance: null, is_settled: true };
  });
}

test('when deals are made until nothing is to be dealt, then all is held, evenly, by instances that take it', () => {
  const names = ['a', 'b', 'c', 'd'];
  const anyInstance = fc.constantFrom(serving, draining, dead);
  const anyName = fc.option(fc.constantFrom(...names));
  fc.assert(
    fc.property(
      fc.tuple(anyInstance, anyInstance, anyInstance),
      fc.array(fc.tuple(anyName, anyName, fc.boolean()), { maxLength: 40 }),
      (kinds, rows) => {
        const instances = [serving('a'), ...kinds.map((kind, at) => kind(names[at + 1] ?? ''))];
        let assignments: HeldAssignment[] = rows.map(([instance, next_instance, is_settled], at) => ({
          deployment_id: `d${at}`,
          instance,
          next_instance: instance === next_instance ? null : next_instance,
          is_settled,
          hosts: at % 3,
        }));
        for (let turn = 0; ; turn += 1) {
          const deal = planDeal(instances, assignments);
          if (deal.takes.length + deal.moves.length === 0 && turn > 0) break;
          expect(turn).toBeLessThan(60);
          assignments = after(assignments, deal);
        }
        const open = instances.filter((one) => one.is_live && !one.is_draining).map(({ name }) => name);
        const counts = open.map((name) => assignments.filter(({ instance }) => instance === name).length);
        expect(counts.reduce((sum, one) => sum + one, 0)).toBe(assignments.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(2);
      },
    ),
  );
});
