import type { Database } from '@roadstead/postgres';
import { type CardKey, createCardKey } from './card-signing.ts';

/** The key that signs a deployment's cards, made when the first is asked for; it stays in the deployment's own database. */
export function createCardKeys(db: Database): { readonly find: () => Promise<CardKey> } {
  let key: Promise<CardKey> | undefined;
  const find = async (): Promise<CardKey> => {
    const made = createCardKey();
    await db.run('insert into card_key (private_key) values ($1) on conflict do nothing', [made]);
    return (await db.one<{ private_key: CardKey }>('select private_key from card_key')).private_key;
  };
  return {
    find: () => {
      key ??= find().catch((error: unknown) => {
        key = undefined;
        throw error;
      });
      return key;
    },
  };
}
