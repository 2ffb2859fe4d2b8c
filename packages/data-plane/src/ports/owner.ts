import { createHash } from 'node:crypto';

/**
 * Names a data plane in each of its lives, on what it starts elsewhere: instances of one listener remove only what is their own.
 * @returns at most 63 characters, as a label of Kubernetes has
 */
export function ownerOf({
  listener_id,
  instance,
}: {
  readonly listener_id: string;
  readonly instance?: string | undefined;
}): string {
  if (instance === undefined) return listener_id;
  return createHash('sha256').update(`${listener_id} ${instance}`).digest('hex').slice(0, 32);
}
