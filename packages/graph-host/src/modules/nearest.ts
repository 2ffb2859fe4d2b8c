import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file of this name in the folder or the nearest one above it, up to the root. */
export function nearest(
  name: string,
  { from, up_to }: { readonly from: string; readonly up_to: string },
): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return join(at, name);
    if (at === up_to || at === dirname(at)) return undefined;
  }
}
