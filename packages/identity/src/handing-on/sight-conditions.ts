import type { Sight } from './handing-on-rules.ts';

/** `isInSight` as a condition on the rows of a table; its values are the parameters from `first` on. */
export const inSight = (table: 'api_keys' | 'users', first: number): string =>
  `($${first}::text is null or ${table}.subject = $${first})
   and ($${first + 1}::uuid is null or ${table}.deployment_id = $${first + 1})
   and ($${first + 2}::uuid is null or ${table}.listener_id = $${first + 2})`;

export const sightValues = ({ subject, deployment_id, listener_id }: Sight) => [
  subject,
  deployment_id,
  listener_id,
];
