/** The rows of the pages that were read so far. */
export const rowsOf = <Row>({ pages }: { readonly pages: readonly (readonly Row[])[] }): readonly Row[] =>
  pages.flat();

interface EndlessQuery {
  readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined };
}

/** Asks again in a while, as long as only the first page is there: further ones would all be asked again with it. */
export const whileOnePage =
  (every_ms: number) =>
  ({ state: { data } }: EndlessQuery): number | false =>
    data !== undefined && data.pages.length > 1 ? false : every_ms;
