/** The rows of the pages that were read so far. */
export const rowsOf = <Row>({ pages }: { readonly pages: readonly (readonly Row[])[] }): readonly Row[] =>
  pages.flat();
