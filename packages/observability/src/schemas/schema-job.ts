/** The jobs of the thread that validates examples against schemas, and its answers. */

export interface SchemaJob {
  /** The schemas as JSON texts. */
  readonly schemas: { readonly inputs?: string | undefined; readonly outputs?: string | undefined };
  readonly items: readonly {
    readonly inputs?: Uint8Array | undefined;
    readonly outputs?: Uint8Array | undefined;
  }[];
}

export interface SchemaFault {
  readonly index: number;
  readonly kind: 'inputs' | 'outputs';
  /** A JSON pointer into the payload. */
  readonly place: string;
  readonly sentence: string;
}

export type SchemaAnswer =
  | { readonly faults: readonly SchemaFault[] }
  /** The failure where the schema itself can't be applied. */
  | { readonly failure: string };
