import { isUuid } from '@roadstead/kit';

interface Lookups<T> {
  readonly byId: (id: string) => Promise<readonly T[]>;
  readonly byName: (name: string) => Promise<readonly T[]>;
}

/** A name may look like an id: one that isn't found as an id is looked up as a name. */
export async function findByIdOrName<T>(given: string, look: Lookups<T>): Promise<T | undefined> {
  const [known] = isUuid(given) ? await look.byId(given) : [];
  if (known !== undefined) return known;
  const [named] = await look.byName(given);
  return named;
}
