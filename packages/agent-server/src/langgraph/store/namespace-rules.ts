import { Problem } from '@roadstead/kit';

/** Where something is to be stored, after the deployment's own `auth` may have moved it. Pure. */

type Value = Readonly<Record<string, unknown>>;

const isLabel = (label: unknown): label is string =>
  typeof label === 'string' && label !== '' && !label.includes('.');

/** @throws Problem `forbidden`: a handler that makes of a namespace what none can be lets nobody in */
export function namespaceIn({ namespace }: Value, which: 'own' | 'any' = 'own'): readonly string[] {
  if (Array.isArray(namespace) && namespace.every(isLabel) && (which === 'any' || namespace.length > 0))
    return namespace;
  throw new Problem('forbidden', 'The deployment’s own auth names no namespace of the store.', {
    hint: 'Labels are texts that are not empty and have no dots.',
  });
}

/** @throws Problem `forbidden` */
export function keyIn({ key }: Value): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new Problem('forbidden', 'The deployment’s own auth names no key of the store.');
}
