import { malformed } from '@roadstead/kit';

/** Paths into threads, such as `values.messages[-1].content`. Pure. */

export interface ExtractPath {
  readonly alias: string;
  readonly root: 'values' | 'metadata' | 'config' | 'interrupts';
  /** Keys and indexes, as Postgres' `#>` takes them; negative indexes count from the end. */
  readonly path: readonly string[];
}

const PATH = /^(values|metadata|config|interrupts)((?:\.[^.[\]]+|\[-?\d{1,9}\])*)$/;
const STEP = /\.([^.[\]]+)|\[(-?\d+)\]/g;

/** @throws Problem `malformed` that names the alias of the first invalid path */
export function extractPaths(
  extract: Readonly<Record<string, string>> | null | undefined,
): readonly ExtractPath[] {
  return Object.entries(extract ?? {}).map(([alias, text]) => {
    const [, root, rest = ''] = PATH.exec(text) ?? [];
    if (root === undefined)
      throw malformed(
        ['body', 'extract', alias],
        'must begin with values, metadata, config or interrupts, then names after dots and places in brackets',
      );
    const path = [...rest.matchAll(STEP)].map(([, name, place]) => name ?? place ?? '');
    return { alias, root: root as ExtractPath['root'], path };
  });
}
