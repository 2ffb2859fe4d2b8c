export interface DueInTurns {
  /** Qualified, where that is needed. */
  readonly table: string;
  /** What is listed, beside the columns of its owner. */
  readonly key: string;
  /** The columns that name the owner, from the whole to the part: one or two. */
  readonly owner: readonly string[];
  readonly due: string;
  /** Whether a row waits; the same as of the partial index on owner and due. */
  readonly waits: string;
  /** Whether what waits of an owner may go, by the owner's columns of `o`; asked once an owner. */
  readonly may_go?: string;
  /** The time, as SQL. */
  readonly now: string;
  /** Rows of one owner at most. */
  readonly of_one: number;
}

/**
 * A statement that lists what is due so that owners take turns: the first of each, then the second of each. `$1` is how
 * many. It walks an index on owner and due, and reads no more of an owner than is asked, however much waits.
 */
export function dueInTurns({
  table,
  key,
  owner,
  due,
  waits,
  may_go = 'true',
  now,
  of_one,
}: DueInTurns): string {
  const columns = owner.join(', ');
  const [whole = '', ...parts] = owner;
  const after = `(${owner.map((name) => `d.${name}`).join(', ')}) > (${owner.map((name) => `o.${name}`).join(', ')})`;
  const same = owner.map((name) => `d.${name} = o.${name}`).join(' and ');
  const turns = (by: readonly string[], order: string) =>
    `row_number() over (partition by ${by.join(', ')} order by ${order})`;
  return `with recursive owners as (
      (select ${columns} from ${table} where ${waits} order by ${columns} limit 1)
      union all
      select n.* from owners o, lateral (
        select ${columns} from ${table} d where ${waits} and ${after} order by ${columns} limit 1) n
    ), due as (
      select ${owner.map((name) => `o.${name}`).join(', ')}, m.key, m.at, ${turns(
        owner.map((name) => `o.${name}`),
        'm.at',
      )} as part_turn
      from (select * from owners o where ${may_go} offset 0) o, lateral (
        select d.${key} as key, d.${due} as at from ${table} d
        where ${waits} and ${same} and d.${due} <= ${now} order by d.${due} limit ${of_one}) m
    ), placed as (
      select *, ${parts.length === 0 ? 'part_turn' : turns([whole], 'part_turn, at')} as turn from due
    )
    select key as ${key}, ${columns} from placed order by turn, at limit $1`;
}
