import { Problem } from '@roadstead/kit';

/**
 * A process that listens needs no right of root, and a fault in it would have them all.
 * @throws Problem `forbidden` for root, unless the operator allowed it
 */
export function refuseRoot(uid: number | undefined, allow_root: boolean): void {
  if (uid !== 0 || allow_root) return;
  throw new Problem(
    'forbidden',
    '`roadstead mcp --http` does not run as root: start it as another user, or say --allow-root.',
  );
}
