import type { z } from 'zod';

/** The values that a schema admits, for readers: what came in a frame is not changed. */
export type Wire<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
