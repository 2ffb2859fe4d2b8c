/** A table of due rows. It has two partial indexes on the waiting ones: on owner and due, and on due alone. */
export interface DueTable {
  /** The name of the table, qualified where needed. */
  readonly table: string;
  /** The column that is listed, beside the columns of its owner. */
  readonly key: string;
  /** The columns that name the owner, from the whole to the part. */
  readonly owner: readonly [whole: string, part?: string];
  readonly owner_type: keyof typeof least;
  readonly due: string;
  /** The condition under which a row waits; the same as in the indexes. */
  readonly waits: string;
  /**
   * The condition under which an owner's rows may go, over the owner's columns in `o`; evaluated once for each owner
   * that a listing visits.
   */
  readonly may_go?: string;
}

/** The least value of each type. */
const least = { text: `''`, uuid: `'00000000-0000-0000-0000-000000000000'` } as const;

const NOW = 'coalesce($1::timestamptz, now())';

/**
 * The statements of a listing. Each lookup is ordered like the index, lest many equal rows make another plan seem
 * cheaper. The database steps over owners and parts along the index, with one lookup each, so that it reads as many
 * rows as there are steps and results.
 */
export function dueStatements(due: DueTable) {
  return { first: firstDue(due), wholes: nextWholes(due), ofEach: dueOfEach(due) };
}

/** The rows that have been due longest: `$2` of them. */
function firstDue({ table, key, owner, due, waits, may_go = 'true' }: DueTable): string {
  const [whole, part] = owner;
  const names =
    part === undefined ? `'' as whole, o.${whole} as part` : `o.${whole} as whole, o.${part} as part`;
  return `select o.${key} as key, ${names}, (${may_go}) as may_go
    from (select * from ${table} where ${waits} and ${due} <= ${NOW} order by ${due} limit $2) o
    order by o.${due}`;
}

/** The owners from `$1` on, or from the first: `$2` of them, and the one to continue with. */
function nextWholes({ table, owner: [whole], owner_type, waits }: DueTable): string {
  return `with recursive wholes as (
      (select ${whole} as whole, 1 as step from ${table}
        where ${waits} and ${whole} >= coalesce($1::${owner_type}, ${least[owner_type]}) order by ${whole} limit 1)
      union all
      select next.whole, w.step + 1 from wholes w, lateral (
        select d.${whole} as whole from ${table} d where ${waits} and d.${whole} > w.whole order by d.${whole} limit 1) next
      where w.step <= $2
    )
    select whole from wholes order by step`;
}

/**
 * The due rows of the owners `$2`, of each from its part in `$3` on. It visits `$4` parts of each, and lists about
 * `$5` rows, equally many of each owner that has some. The first row of each part comes before the second of any, and
 * likewise for owners. A row without a key names the part to continue with.
 */
function dueOfEach({ table, key, owner, owner_type, due, waits, may_go = 'true' }: DueTable): string {
  const [whole, part = whole] = owner;
  const hasParts = whole !== part;
  const same = (of: string, name: string) => (hasParts ? `d.${whole} = ${of}.${name} and` : '');
  const next = (from: string) => `lateral (
        select o.${part} as part, (${may_go}) and coalesce((
          select true from ${table} d
          where ${waits} and ${same('o', whole)} d.${part} = o.${part} and d.${due} <= ${NOW}
          order by d.${due} limit 1), false) as is_due
        from (
          select d.${[...new Set([whole, part])].join(', d.')} from ${table} d
          where ${waits} and ${same('w', 'whole')} d.${part} ${from} order by d.${part} limit 1) o
        offset 0
      ) next`;
  const type = hasParts ? owner_type : 'text';
  return `with recursive parts as (
      select w.whole, w.place, next.part, next.is_due, 1 as step, next.is_due::int as found
      from unnest($2::${type}[], $3::${owner_type}[]) with ordinality w (whole, next_part, place),
        ${next(`>= coalesce(w.next_part, ${least[owner_type]})`)}
      union all
      select w.whole, w.place, next.part, next.is_due, w.step + 1, w.found + next.is_due::int
      from parts w, ${next('> w.part')}
      where w.step <= $4 and w.found <= $5
    ), shared as (
      select ceil($5::float8 / greatest(1, count(distinct place)))::int as share from parts where is_due and step <= $4
    ), chosen as (
      select p.*, greatest(1, share / count(*) over (partition by place)) as rows_of_part
      from parts p, shared where is_due and step <= $4 and found <= share
    ), listed as (
      select c.*, m.key, row_number() over (partition by c.place, c.part order by m.at) as turn_of_part
      from chosen c, lateral (
        select d.${key} as key, d.${due} as at from ${table} d
        where ${waits} and ${same('c', 'whole')} d.${part} = c.part and d.${due} <= ${NOW}
        order by d.${due} limit c.rows_of_part) m
    ), placed as (
      select place, whole, part, key, row_number() over (partition by place order by turn_of_part, step) as turn from listed
    ), left_over as (
      select distinct on (place) place, whole, part from parts, shared
      where step > $4 or found > share order by place, step
    )
    select whole, part, key from (
      select whole, part, key, turn, place from placed
      union all select whole, part, null, null, place from left_over
    ) answer order by turn, place`;
}
