import { isUuid } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { findGrant } from '../records/grant-store.ts';
import { findKeyById } from '../records/key-store.ts';
import { findUser } from '../records/user-store.ts';

interface NamedHolder {
  readonly name: string;
}

const finders: Readonly<Record<string, (db: Queryable, id: string) => Promise<NamedHolder | undefined>>> = {
  key: findKeyById,
  user: findUser,
  /** An application acts for whoever authorized it. */
  oauth: async (db, id) => {
    const grant = await findGrant(db, id);
    const name = grant && (await findActorName(db, grant.subject));
    return name === undefined || name === null ? undefined : { name };
  },
};

/** The name for people of whoever acts; null for our own services. */
export async function findActorName(db: Queryable, actor: string): Promise<string | null> {
  const [kind = '', id = ''] = actor.split(':');
  const find = Object.hasOwn(finders, kind) ? finders[kind] : undefined;
  return find === undefined || !isUuid(id) ? null : ((await find(db, id))?.name ?? null);
}
