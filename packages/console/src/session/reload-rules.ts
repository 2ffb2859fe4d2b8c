/** When a page that is older than its server begins anew. */

/** So long after a reload another would not help. */
const PAUSE_MS = 30_000;

/** Whether to reload, once: `last` is the instant of the reload before, as it was kept. */
export const mayReload = (last: string | null, now_ms: number): boolean =>
  last === null || !(now_ms - Number(last) < PAUSE_MS);

/** What browsers say when a part of the page is not there any more. */
const MISSING =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|is not a valid JavaScript MIME type/i;

export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && MISSING.test(error.message);
