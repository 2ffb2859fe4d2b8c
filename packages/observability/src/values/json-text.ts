import { Problem } from '@roadstead/kit';

/** Builds objects and lists from JSON texts, which stay as they were written. */

export const listOf = (items: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...items.flatMap((item, index) => (index === 0 ? [item] : [Buffer.from(','), item])),
    Buffer.from(']'),
  ]);

export const objectOf = (members: ReadonlyMap<string, Uint8Array>): Buffer =>
  Buffer.concat([
    Buffer.from('{'),
    ...[...members].flatMap(([name, json], index) => [
      Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
      json,
    ]),
    Buffer.from('}'),
  ]);

export const isTooLarge = (error: unknown): boolean => error instanceof Problem && error.kind === 'too_large';
