import { malformed } from '@roadstead/kit';

/** Reads the namespace and key of a store request after the deployment's own `auth` may have moved it. Pure. */

type Value = Readonly<Record<string, unknown>>;

const isLabel = (label: unknown): label is string =>
  typeof label === 'string' && label !== '' && !label.includes('.');

/** @throws Problem `malformed`: a handler may make an invalid namespace, and then nobody is let in */
export function namespaceIn({ namespace }: Value, which: 'own' | 'any' = 'own'): readonly string[] {
  if (Array.isArray(namespace) && namespace.every(isLabel) && (which === 'any' || namespace.length > 0))
    return namespace;
  throw malformed(
    ['body', 'namespace'],
    'as the deployment’s own auth returned it, must be a list of texts that are not empty and have no dots',
  );
}

/** @throws Problem `malformed` */
export function keyIn({ key }: Value): string {
  if (typeof key === 'string' && key !== '') return key;
  throw malformed(
    ['body', 'key'],
    'as the deployment’s own auth returned it, must be a text that is not empty',
  );
}
